#!/usr/bin/env python3
# Derives the coefficients of include/mlc/Support/Math*.h: minimax polynomials by the Remez exchange on a Chebyshev grid.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: fit.py [name ...]   (names: see FITS; none: all of them). Needs mpmath.

Each polynomial approximates f(t) on [a, b] so that the largest |w(t) * (poly(t) - f(t))| is least; w turns an error of
the polynomial into a relative error of the function it serves. Coefficients are rounded to the target width one after
the other, lowest power first; on intervals from zero the others are fitted again each time. Both errors are printed.
"""
import sys

from mpmath import (asin, asinh, atan, atanh, cos, erf, erfc, erfinv, exp, expm1, log, log1p, loggamma, lu_solve, matrix,
                    mp, mpf, nint, pi, sin, sinh, sqrt)

mp.dps = 60


def round_to(value, bits):
    """`value` rounded to nearest with a significand of `bits` bits."""
    if value == 0:
        return mpf(0)
    _, exponent = mp.frexp(value)
    scale = mpf(2) ** (bits - exponent)
    return nint(value * scale) / scale


def remez(values, weights, powers, points):
    """Minimax coefficients for `powers` on the grid `points`; returns (coefficients, weighted error)."""
    count = len(powers) + 1
    last = len(points) - 1
    # The grid is dense at its ends already: equally spaced indices are the Chebyshev nodes.
    reference = [round(last * i / (count - 1)) for i in range(count)]
    coefficients, best = None, None
    for _ in range(40):
        system, right = matrix(count, count), matrix(count, 1)
        for row, index in enumerate(reference):
            for column, power in enumerate(powers):
                system[row, column] = weights[index] * points[index] ** power
            system[row, count - 1] = (-1) ** row
            right[row] = weights[index] * values[index]
        solution = lu_solve(system, right)
        coefficients = [solution[i] for i in range(len(powers))]
        errors = []
        for index, point in enumerate(points):
            total = mpf(0)
            for power, coefficient in zip(powers, coefficients):
                total += coefficient * point ** power
            errors.append(weights[index] * (total - values[index]))
        # One extremum for each run of one sign; the `count` neighbours that hold the largest error stay.
        extrema, start = [], 0
        for index in range(1, len(points) + 1):
            if index == len(points) or (errors[index] > 0) != (errors[start] > 0):
                extrema.append(max(range(start, index), key=lambda i: abs(errors[i])))
                start = index
        while len(extrema) > count:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        best = max(abs(error) for error in errors)
        if len(extrema) < count or extrema == reference or best < abs(solution[count - 1]) * mpf("1.001"):
            break
        reference = extrema
    return coefficients, best


def fit(function, weight, low, high, degree, bits):
    """Polynomial of `degree` for `function` on [low, high], its coefficients rounded to `bits` bits."""
    size = max(200, 24 * (degree + 2))
    low, high = mpf(low), mpf(high)
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * size)) for i in range(size)]
    values = [function(point) for point in points]
    weights = [abs(weight(point)) for point in points]
    exactly, error = remez(values, weights, list(range(degree + 1)), points)
    rounded, left = [], list(values)
    for power in range(degree + 1):
        # An interval on both sides of zero is no place to fit again: the powers left all vanish inside it.
        if low >= 0:
            again = remez(left, weights, list(range(power, degree + 1)), points)[0][0]
        else:
            again = exactly[power]
        rounded.append(round_to(again, bits))
        left = [value - rounded[-1] * point**power for value, point in zip(left, points)]
    return rounded, error, max(abs(factor * value) for factor, value in zip(weights, left))


def show(name, result):
    coefficients, exactly, rounded = result
    print(f"// {name}: weighted error 2^{float(mp.log(exactly, 2)):.2f} before, "
          f"2^{float(mp.log(rounded, 2)):.2f} after rounding the coefficients")
    print("{" + ", ".join(hexadecimal(c) for c in coefficients) + "}", flush=True)


def hexadecimal(value):
    return float(value).hex().replace("0000000p", "p") if float(value) == value else f"/*inexact*/{float(value).hex()}"


def split(name, value, bits, parts):
    """`value` as a sum of `parts` numbers of `bits` bits, each the rounded rest."""
    pieces = []
    for _ in range(parts):
        pieces.append(round_to(value, bits))
        value -= pieces[-1]
    print(f"// {name} in {parts} parts of {bits} bits")
    print("{" + ", ".join(hexadecimal(p) for p in pieces) + "}", flush=True)


def digits(name, value, zeros, width, words):
    """The first `words` words of the fraction of `value()` in bits, after so many zeros."""
    with mp.workprec(2 * width * words):
        bits = int(mp.floor(value() * mpf(2) ** (width * words - zeros)))
    print(f"// {name} in {words} words of {width} bits after {zeros} zeros")
    print("{" + ", ".join(f"0x{(bits >> (width * (words - 1 - i))) % 2**width:0{width // 4}x}" for i in range(words)) + "}",
          flush=True)


def exp_fit(degree, bits):
    half = log(mpf(2)) / 2 * mpf("1.0001")
    show(f"(exp(r) - 1 - r) / r^2, f{bits}", fit(lambda r: (expm1(r) - r) / r**2, lambda r: r**2 / expm1(r), -half, half,
                                                degree, bits))


def log_fit(degree, bits):
    third = mpf(1) / 3
    show(f"(log1p(f) - f) / f^2, f{bits}", fit(lambda f: (log1p(f) - f) / f**2, lambda f: f**2 / log1p(f), -third, third,
                                              degree, bits))


def log_tail_fit(degree, bits):
    third = mpf(1) / 3
    head = lambda f: f - f**2 / 2 + f**3 / 3 - f**4 / 4
    show(f"(log1p(f) - f + f^2/2 - f^3/3 + f^4/4) / f^5, f{bits}",
         fit(lambda f: (log1p(f) - head(f)) / f**5, lambda f: f**5 / log1p(f), -third, third, degree, bits))


def softplus_fit(degree, bits):
    show(f"(log1p(z) - z) / z^2 on [0, 1], f{bits}", fit(lambda z: (log1p(z) - z) / z**2, lambda z: z**2 / log1p(z), 0, 1,
                                                        degree, bits))


LIMIT = mpf("0.82")  # pi/4 and what the rounding of x * 2/pi adds at the end of the range


def sin_fit(degree, bits):
    show(f"(sin(r) - r) / r^3 in r^2, f{bits}",
         fit(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z)**3, lambda z: sqrt(z)**3 / sin(sqrt(z)), 0, LIMIT**2, degree, bits))


def cos_fit(degree, bits):
    show(f"(cos(r) - 1 + r^2/2) / r^4 in r^2, f{bits}",
         fit(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / cos(sqrt(z)), 0, LIMIT**2, degree, bits))


def inverse_error_ratio(w):
    """erfinv(x) / x at the x with log(1 - x^2) = -w."""
    if w == 0:
        return sqrt(pi) / 2
    x = sqrt(-expm1(-w))
    if w < 2:
        with mp.workdps(2 * mp.dps):
            return erfinv(x) / x
    # 1 - x loses its digits: Newton's method for log(erfc(y)) = log(1 - x) with 1 - x = e^-w / (1 + x).
    target = -w - log(1 + x)
    y = sqrt(w - log(w) / 2)
    for _ in range(100):
        tail = erfc(y)
        step = (log(tail) - target) * tail * sqrt(pi) / 2 * exp(y * y)
        y += step
        if abs(step) < mpf(10) ** (10 - mp.dps) * y:
            break
    return y / x


def erfinv_fit(degree, bits, centers, bounds):
    """Pieces of erfinv(x) / x: the first in w - center, the others in sqrt(w) - center."""
    for index, center in enumerate(centers):
        if index == 0:
            variable, low, high = (lambda t: center + t), 0, bounds[1] ** 2
        else:
            variable, low, high = (lambda t: (center + t)**2), bounds[index], bounds[index + 1]
        values = lambda t: inverse_error_ratio(max(variable(t), mpf(0)))
        show(f"erfinv piece {index} about {center}, f{bits}",
             fit(values, lambda t: 1 / values(t), mpf(low) - center, mpf(high) - center, degree, bits))


def erf_fit(degree, bits):
    show(f"erf(x) / x - 1 in x^2, f{bits}",
         fit(lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / erf(sqrt(z)), 0, mpf("0.95") ** 2, degree, bits))


def erfc_fit(center, end, degree, bits):
    """(1 + 2x) e^(x^2) erfc(x) in t = (x - center) / (x + center)."""
    center = mpf(center)
    variable = lambda t: center * (1 + t) / (1 - t)
    values = lambda t: (1 + 2 * variable(t)) * exp(variable(t) ** 2) * erfc(variable(t))
    show(f"(1 + 2x) e^(x^2) erfc(x), f{bits}",
         fit(values, lambda t: 1 / values(t), -1, (mpf(end) - center) / (mpf(end) + center), degree, bits))


def lgamma_fit(degree, bits):
    """ln Gamma(2 + t) / (t (1 + t)) on [1, 3]."""
    values = lambda t: loggamma(2 + t) / (t * (1 + t))
    show(f"ln Gamma(2 + t) / (t (1 + t)), f{bits}", fit(values, lambda t: 1 / values(t), -1, 1, degree, bits))


def stirling_fit(low, degree, bits):
    """x (ln Gamma(x) - (x - 1/2) (ln x - 1) - (ln(2 pi) - 1) / 2) in 1 / x^2 for x >= low."""

    def values(z):
        if z < mpf(10) ** -12:
            return mpf(1) / 12 - z / 360
        x = 1 / sqrt(z)
        return x * (loggamma(x) - (x - mpf("0.5")) * (log(x) - 1) - (log(2 * pi) - 1) / 2)

    show(f"Stirling's rest for x >= {low}, f{bits}", fit(values, lambda z: 1, 0, 1 / mpf(low) ** 2, degree, bits))


def odd_fit(name, function, end, degree, bits):
    """(f(x) - x) / x^3 in x^2 of an odd function."""
    show(f"({name}(x) - x) / x^3 in x^2, f{bits}",
         fit(lambda z: (function(sqrt(z)) - sqrt(z)) / sqrt(z)**3, lambda z: sqrt(z)**3 / function(sqrt(z)), 0,
             mpf(end) ** 2, degree, bits))


FITS = {
    "exp": lambda: (exp_fit(4, 24), exp_fit(10, 53)),
    "log": lambda: (log_fit(8, 24), log_fit(20, 53)),
    "log_tail": lambda: (log_tail_fit(7, 24), log_tail_fit(20, 53)),
    "softplus": lambda: (softplus_fit(8, 24), softplus_fit(20, 53)),
    "sin": lambda: (sin_fit(2, 24), sin_fit(5, 53), cos_fit(2, 24), cos_fit(5, 53)),
    "erfinv32": lambda: erfinv_fit(10, 24, [2.5, 3.125, 7.125], [0, sqrt(mpf(5)), 4.125, 10.25]),
    "erfinv64": lambda: erfinv_fit(22, 53, [2.5, 3.125, 5.125, 9.5, 20.0], [0, sqrt(mpf(5)), 4.125, 6.25, 13, 27.5]),
    "erf": lambda: (erf_fit(6, 24), erf_fit(12, 53), erfc_fit(2, 10.5, 11, 24), erfc_fit(4, 27.5, 22, 53)),
    "lgamma": lambda: (lgamma_fit(13, 24), lgamma_fit(29, 53), stirling_fit(8, 2, 24), stirling_fit(8, 7, 53)),
    "atan": lambda: (odd_fit("atan", atan, "0.4143", 4, 24), odd_fit("atan", atan, "0.4143", 10, 53)),
    "asin": lambda: (odd_fit("asin", asin, sqrt(mpf("0.2501")), 5, 24), odd_fit("asin", asin, sqrt(mpf("0.2501")), 12, 53)),
    "sinh": lambda: (odd_fit("sinh", sinh, "1.001", 3, 24), odd_fit("sinh", sinh, "1.001", 6, 53)),
    "asinh": lambda: (odd_fit("asinh", asinh, "0.501", 5, 24), odd_fit("asinh", asinh, "0.501", 12, 53)),
    "atanh": lambda: (odd_fit("atanh", atanh, "0.501", 6, 24), odd_fit("atanh", atanh, "0.501", 13, 53)),
    "constants": lambda: (split("ln 2", log(mpf(2)), 24, 2), split("ln 2", log(mpf(2)), 53, 2),
                          split("pi/2", pi / 2, 24, 3), split("pi/2", pi / 2, 53, 3),
                          digits("2/pi", lambda: 2 / pi, 20, 32, 7), digits("2/pi", lambda: 2 / pi, 20, 64, 19),
                          split("sqrt 2", sqrt(mpf(2)), 24, 2), split("sqrt 2", sqrt(mpf(2)), 53, 2),
                          split("1/3", mpf(1) / 3, 24, 2), split("1/3", mpf(1) / 3, 53, 2),
                          split("log2(e)", 1 / log(mpf(2)), 24, 2), split("log2(e)", 1 / log(mpf(2)), 53, 2),
                          split("pi", pi, 24, 2), split("pi", pi, 53, 2)),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FITS:
        FITS[name]()
