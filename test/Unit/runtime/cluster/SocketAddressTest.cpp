// Addresses of sockets from text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketAddress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

using namespace mlcrt;
using testing::HasSubstr;

// /etc/hosts of a minimal container is missing, or has one of the two.
TEST(SocketAddress, LocalhostIsLoopbackOfBothFamiliesWithoutAResolver) {
  for (const bool numericOnly : {false, true}) {
    auto found = resolve("localhost:4711", numericOnly);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->size(), 2u);
    EXPECT_EQ((*found)[0].family(), AF_INET);
    EXPECT_EQ(reinterpret_cast<const sockaddr_in *>((*found)[0].get())->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    EXPECT_EQ((*found)[1].family(), AF_INET6);
    EXPECT_TRUE(IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6 *>((*found)[1].get())->sin6_addr));
    EXPECT_EQ((*found)[0].port(), 4711);
    EXPECT_EQ((*found)[1].port(), 4711);
  }
}

TEST(SocketAddress, PortsAreNumbersOfSixteenBits) {
  for (const char *address : {"localhost:65536", "localhost:-1", "127.0.0.1:http", "localhost:8x"})
    EXPECT_FALSE(resolve(address, /*numericOnly=*/false).ok()) << address;
  EXPECT_THAT(std::string(resolve("localhost", false).status().message()), HasSubstr("expected host:port"));
}
