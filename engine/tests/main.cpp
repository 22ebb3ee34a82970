#include "check.h"

static int failures = 0;

std::vector<Test> &tests() {
    static std::vector<Test> all;
    return all;
}

void failed(const char *file, int line, const char *what) {
    ++failures;
    std::printf("%s:%d: %s is not so\n", file, line, what);
}

int main() {
    for (const Test &test : tests()) {
        const int before = failures;
        test.run();
        std::printf("%s %s\n", failures == before ? "passed" : "FAILED", test.name);
    }
    std::printf("%zu tests, %d failures\n", tests().size(), failures);
    return failures ? 1 : 0;
}
