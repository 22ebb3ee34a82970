// Tests without a framework: TEST(name) { CHECK(what); } in any file here; the program runs them all and tells which failed.
#pragma once
#include <cstdio>
#include <vector>

struct Test {
    const char *name;
    void (*run)();
};
std::vector<Test> &tests();
void failed(const char *file, int line, const char *what);

struct Register {
    Register(const char *name, void (*run)()) { tests().push_back({name, run}); }
};

#define TEST(name)                               \
    static void name();                          \
    static const Register register_##name(#name, name); \
    static void name()
#define CHECK(what) \
    if (!(what)) failed(__FILE__, __LINE__, #what)
