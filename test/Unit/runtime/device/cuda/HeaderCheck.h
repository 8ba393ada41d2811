// Whether a function that is declared by hand takes what a header says that it takes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_HEADERCHECK_H
#define MLCRT_TEST_HEADERCHECK_H

#include <cstddef>
#include <type_traits>

namespace header_check {

template <typename T, typename = void> struct IsComplete : std::false_type {};
template <typename T> struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

/// Whether a value of one type is passed as that of another is: addresses, numbers and enumerators of the same size,
/// and what addresses lead to likewise. Objects that a library keeps to itself, and bytes, are of any type.
template <typename Ours, typename Theirs> constexpr bool isPassedAlike() {
  if constexpr (std::is_pointer_v<Ours> != std::is_pointer_v<Theirs>) {
    return false;
  } else if constexpr (std::is_pointer_v<Ours>) {
    using Our = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using Their = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (std::is_void_v<Our> || std::is_void_v<Their>)
      return true;
    else if constexpr (!IsComplete<Our>::value || !IsComplete<Their>::value)
      return IsComplete<Our>::value == IsComplete<Their>::value;
    else if constexpr (std::is_class_v<Our> || std::is_class_v<Their>)
      return std::is_class_v<Our> && std::is_class_v<Their> && sizeof(Our) == sizeof(Their);
    else
      return isPassedAlike<Our, Their>();
  } else {
    return sizeof(Ours) == sizeof(Theirs) && std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
           std::is_class_v<Ours> == std::is_class_v<Theirs>;
  }
}

/// Whether a call by our declaration is one of theirs.
template <typename Ours, typename Theirs> struct IsCalledAlike : std::false_type {};
template <typename OurResult, typename... Ours, typename TheirResult, typename... Theirs>
struct IsCalledAlike<OurResult (*)(Ours...), TheirResult (*)(Theirs...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Ours) != sizeof...(Theirs))
      return false;
    else
      return isPassedAlike<OurResult, TheirResult>() && (isPassedAlike<Ours, Theirs>() && ...);
  }();
};

} // namespace header_check

#endif // MLCRT_TEST_HEADERCHECK_H
