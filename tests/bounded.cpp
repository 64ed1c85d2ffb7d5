// The arithmetic of intervals: what is computed from them encloses what is computed from the numbers in them.
#include <cmath>
#include <random>

#include "answers_support.hpp"

namespace {

using wlfmt::analysis::bounded;

// A number, and something that is known of it.
struct known {
    double truth;
    bounded interval;
};

class numbers {
public:
    // A number from `least` on, often a round one or 0.
    known next(double least) {
        known k;
        k.truth = random_() % 4 == 0 ? std::ceil(least) + static_cast<double>(random_() % 3) : least + up_to(20);
        const double low = k.truth - up_to(random_() % 2 == 0 ? 30 : k.truth - least);
        const double high = k.truth + up_to(9);
        switch (random_() % 6) {
        case 0: k.interval = bounded::no_less(low); break;
        case 1: k.interval = bounded::no_more(high); break;
        case 2: k.interval = bounded::unknown(); break;
        case 3: k.interval = bounded(k.truth); break;
        default: k.interval = bounded::between(low, high);
        }
        return k;
    }
    double up_to(double most) { return std::uniform_real_distribution<double>(0, most)(random_); }

private:
    std::mt19937 random_{57};
};

bool encloses(const bounded& b, double truth) {
    const double margin = 1e-9 * (1 + std::abs(truth));
    return b.at_least() <= truth + margin && truth - margin <= b.at_most() && b.is_exact() == b.exact().has_value() &&
           b.width() >= 0 && (!b.is_exact() || std::abs(b.number() - truth) <= margin);
}

TEST_CASE("what is computed from intervals encloses what is computed from numbers in them") {
    numbers random;
    std::size_t wrong = 0;
    for (int n = 0; n != 100000; ++n) {
        const auto [x, a] = random.next(-10);
        const auto [y, b] = random.next(-10);
        const double times = random.up_to(6) - 3;
        bounded sum = a;
        sum += b;
        bounded more = a;
        more.add(3);
        const bool all = encloses(a, x) && encloses(sum, x + y) && encloses(a - b, x - y) && encloses(a * b, x * y) &&
                         encloses(a * times, x * times) && encloses(-a, -x) && encloses(more, x + 3) &&
                         encloses(greater_of(a, b), (std::max)(x, y)) && encloses(lesser_of(a, b), (std::min)(x, y)) &&
                         encloses(size_of(a), std::abs(x)) && encloses(hull(a, b), x) && encloses(hull(a, b), y) &&
                         encloses(common(a, bounded::between(x - 1, x + 2)), x) && encloses(a.widened(1, 2), x + 2) &&
                         (y == 0 || encloses(a / b, x / y)) &&
                         (!(0 <= x && x <= y && y > 0) || encloses(part_of(a, b), x / y));
        if (!all) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("intervals are as narrow as what is known of both numbers allows") {
    const bounded exact(4);
    const bounded least = bounded::no_less(3);
    const bounded most = bounded::no_more(5);
    const bounded between = bounded::between(3, 5);
    CHECK(exact == 4);
    CHECK_FALSE(least == 3);
    CHECK(least + exact == bounded::no_less(7));
    CHECK_FALSE((least + most).is_known());
    CHECK(least - most == bounded::no_less(-2));
    CHECK_FALSE((least - least).is_known());
    CHECK(between - between == bounded::between(-2, 2));
    CHECK(between * between == bounded::between(9, 25));
    CHECK(between * -1 == bounded::between(-5, -3));
    CHECK(between / bounded::between(1, 2) == bounded::between(1.5, 5));
    CHECK(bounded(10) / bounded::between(0, 5) == bounded::no_less(2));
    CHECK(bounded(10) / least == bounded::between(0, 10 / 3.0));
    CHECK_FALSE((exact / bounded()).is_known());
    CHECK_FALSE((least / least).is_known());
    CHECK_FALSE((exact / bounded::between(-1, 1)).is_known());
    CHECK(greater_of(exact, least) == bounded::no_less(4));
    CHECK(greater_of(exact, between) == bounded::between(4, 5));
    CHECK(lesser_of(exact, most) == bounded::no_more(4));
    CHECK(common(least, most) == between);
    CHECK(size_of(bounded::between(-3, 1)) == bounded::between(0, 3));
    CHECK(least.at_most() == bounded::unlimited);
    CHECK_FALSE(least.exact());
    CHECK(exact.exact() == 4);
    CHECK(comes_before(bounded(-1), bounded::unknown()));
    CHECK_FALSE(comes_before(bounded::unknown(), bounded(-1)));
    CHECK(comes_before(exact, between));
    static_assert(!std::is_convertible_v<bounded, double> && !std::is_convertible_v<double, bounded>);
}

TEST_CASE("an interval is printed with both ends, or with the one that is known") {
    const auto ms = [](double v) { return wlfmt::analysis::message(bounded(v), 1) + " ms"; };
    CHECK(message(bounded(4)) == "4.00");
    CHECK(message(bounded::between(421, 497.25)) == "421.00 to 497.25");
    CHECK(message(bounded::between(421, 497.25), ms) == "421.0 to 497.2 ms");
    CHECK(message(bounded::between(421.01, 421.02), ms) == "421.0 ms");
    CHECK(message(bounded::no_less(3), 1) == ">= 3.0");
    CHECK(message(bounded::no_more(5)) == "<= 5.00");
    CHECK(message(bounded::between(0, 5)) == "<= 5.00");
    CHECK(message(bounded::unknown()) == "unknown");
    CHECK(message(bounded(-0.001)) == "0.00");
}

}  // namespace
