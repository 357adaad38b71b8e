/* Every function of the library, right and wrong, and many threads at once. Ends with 0 and `all good` if nothing is amiss. */

#define _POSIX_C_SOURCE 200809L
#include "margay.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;

#define CHECK(condition)                                                                \
    do {                                                                                \
        if (!(condition)) {                                                             \
            printf("line %d: %s\n%s\n", __LINE__, #condition, margay_last_error());     \
            wrong = 1;                                                                  \
        }                                                                               \
    } while (0)

/* A failed call: its status, and a word of its reason. */
#define FAILS(call, wanted, word)                                                       \
    do {                                                                                \
        int status = (call);                                                            \
        if (status != (wanted) || !strstr(margay_last_error(), word)) {                 \
            printf("line %d: %d, not %d with `%s`: %s\n", __LINE__, status, wanted,     \
                   word, margay_last_error());                                          \
            wrong = 1;                                                                  \
        }                                                                               \
    } while (0)

static char scale[8192];
static const char broken[] = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n    addd.u32 %r1, 1, 2;\n}\n";
static const char two[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 counter = 5;\n.const .u32 c = 7;\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
    ".entry first(.param .u8 a, .param .s16 b, .param .f32 f, .param .align 8 .b8 s[24]) {\n"
    "    .reg .u64 %rd<3>; .reg .u32 %r<3>; .param .b64 p; .param .b64 q; .param .b32 r;\n"
    "    mov.u64 %rd1, text;\n    cvta.global.u64 %rd1, %rd1;\n    st.param.b64 [p], %rd1;\n"
    "    st.param.b64 [q], 0;\n    call (r), vprintf, (p, q);\n"
    "    atom.global.add.u32 %r1, [counter], 1;\n    ret;\n}\n"
    ".entry second(.param .u64 to) {\n    .reg .u64 %rd<3>; .reg .u32 %r<3>;\n    ld.param.u64 %rd1, [to];\n"
    "    ld.const.u32 %r1, [c];\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n"
    ".entry races(.param .u64 to) {\n    .reg .u64 %rd<3>; .reg .u32 %r<3>;\n    ld.param.u64 %rd1, [to];\n"
    "    mov.u32 %r1, %tid.x;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n"
    ".entry forever() {\nagain:\n    bra again;\n}\n"
    ".entry mixes(.param .u64 to) {\n    .reg .u64 %rd<3>; .reg .u32 %r<3>;\n    ld.param.u64 %rd1, [to];\n"
    "    add.cc.u32 %r1, 5, -1;\n    subc.u32 %r1, 7, 3;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n"
    ".entry depths() {\n    .reg .f32 %f<7>; .reg .u64 %rd;\n    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd, {%f4, %f5}], %f6;\n    ret;\n}\n"
    ".entry inverts(.param .u64 to) {\n    .reg .u64 %rd<3>; .reg .f32 %f<3>;\n    ld.param.u64 %rd1, [to];\n"
    "    mov.f32 %f1, 0f40FF82FE;\n    rcp.approx.f32 %f2, %f1;\n    st.global.f32 [%rd1], %f2;\n    ret;\n}\n"
    ".entry sums(.param .u64 to) {\n    .reg .u64 %rd<3>; .reg .f32 %f<4>;\n    ld.param.u64 %rd1, [to];\n"
    "    mov.f32 %f1, 0f3F800800;\n    mul.f32 %f2, %f1, %f1;\n    sub.f32 %f3, %f2, 0f3F801000;\n"
    "    st.global.f32 [%rd1], %f3;\n    ret;\n}\n"
    ".entry multiplies(.param .u64 to) {\n    .reg .b64 %rd; .reg .b32 %one, %c, %d<4>;\n    ld.param.u64 %rd, [to];\n"
    "    mov.b32 %one, 0x3c003c00;\n    mov.b32 %c, 0xb3000000;\n    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, "
    "%d1, %d2, %d3}, {%one, %one}, {%one}, {%c, %c, %c, %c};\n    st.global.u32 [%rd], %d0;\n    ret;\n}\n";

static void devices(void)
{
    margay_device *device;
    uint64_t a, b;
    char bytes[16];
    FAILS(margay_device_new(48, &device), MARGAY_WRONG_CALL, "not `48`");
    CHECK(device == NULL);
    FAILS(margay_device_new(64, NULL), MARGAY_WRONG_CALL, "`device` is null");
    CHECK(margay_device_new(64, &device) == MARGAY_OK);
    CHECK(margay_alloc(device, 100, NULL, &a) == MARGAY_OK && margay_alloc(device, 0, "nothing", &b) == MARGAY_OK);
    FAILS(margay_alloc(device, UINT64_MAX, "all", &b), MARGAY_REFUSED, "no room for 18446744073709551615 bytes of all");
    FAILS(margay_alloc(device, 8, "\xff", &b), MARGAY_WRONG_CALL, "`name` is not UTF-8");
    FAILS(margay_alloc(NULL, 8, "x", &b), MARGAY_WRONG_CALL, "`device` is null");
    FAILS(margay_alloc(device, 8, "x", NULL), MARGAY_WRONG_CALL, "`address` is null");
    CHECK(margay_write(device, a + 90, "0123456789", 10) == MARGAY_OK);
    CHECK(margay_read(device, a + 92, bytes, 8) == MARGAY_OK && memcmp(bytes, "23456789", 8) == 0);
    FAILS(margay_read(device, a + 92, bytes, 9), MARGAY_FAULT, "past the end of an allocation");
    FAILS(margay_write(device, 16, bytes, 1), MARGAY_FAULT, "near-null address");
    FAILS(margay_read(device, a, NULL, 1), MARGAY_WRONG_CALL, "`to` is null");
    FAILS(margay_write(device, a, NULL, 1), MARGAY_WRONG_CALL, "`from` is null");
    CHECK(margay_write(device, a, NULL, 0) == MARGAY_OK);
    CHECK(margay_free(device, a) == MARGAY_OK);
    FAILS(margay_free(device, a), MARGAY_REFUSED, "no allocation begins");
    FAILS(margay_read(device, a, bytes, 1), MARGAY_FAULT, "an allocation (100 bytes at 0x700000000000) was freed");
    FAILS(margay_device_set_memory(NULL, 1), MARGAY_WRONG_CALL, "`device` is null");
    CHECK(margay_device_set_memory(device, 1000) == MARGAY_OK);
    FAILS(margay_alloc(device, 1001, "much", &b), MARGAY_REFUSED, "the device has 1000 bytes");
    margay_module *large;
    const char *big = ".version 8.0\n.target sm_80\n.address_size 64\n.global .b8 a[900];\n.global .b8 b[101];\n";
    FAILS(margay_load(device, big, strlen(big), "big.ptx", &large), MARGAY_REFUSED, "big.ptx:5: it is declared here");
    CHECK(margay_alloc(device, 1000, "all", &b) == MARGAY_OK && b > a && margay_free(device, b) == MARGAY_OK);
    CHECK(margay_device_set_memory(device, 1 << 20) == MARGAY_OK);

    char *room = malloc(64);
    char *start = room + (16 - (size_t)room % 16);
    memset(room, 7, 64);
    CHECK(margay_lend(device, start, 5, "five", 0, &a) == MARGAY_OK && margay_write(device, a, "abcde", 5) == MARGAY_OK);
    CHECK(memcmp(start, "abcde\7", 6) == 0);
    FAILS(margay_write(device, a, "abcdef", 6), MARGAY_FAULT, "past the end of five");
    FAILS(margay_lend(device, start + 1, 5, "odd", 0, &b), MARGAY_REFUSED, "not a multiple of 16");
    FAILS(margay_lend(device, NULL, 5, "none", 0, &b), MARGAY_WRONG_CALL, "`start` is null");
    CHECK(margay_lend(device, start, 5, "read", 1, &b) == MARGAY_OK);
    FAILS(margay_write(device, b, "x", 1), MARGAY_FAULT, "write to read-only memory");
    CHECK(margay_free(device, a) == MARGAY_OK && margay_free(device, b) == MARGAY_OK);
    free(room);
    margay_device_free(device);
    margay_device_free(NULL);
}

static void texts(void)
{
    char *found = NULL;
    CHECK(margay_check(scale, strlen(scale), NULL, NULL, MARGAY_TEXT, &found) == MARGAY_OK && *found == 0);
    margay_text_free(found);
    FAILS(margay_check(broken, strlen(broken), "b.ptx", NULL, MARGAY_JSON, &found), MARGAY_INVALID_PTX, "b.ptx:5:5: error[P");
    CHECK(strstr(found, "\"severity\":\"error\"") != NULL);
    margay_text_free(found);
    FAILS(margay_check(broken, strlen(broken), NULL, "sm_90", MARGAY_TEXT, &found), MARGAY_INVALID_PTX, "`addd`");
    CHECK(strstr(found, "--> <ptx>:5:5") != NULL);
    margay_text_free(found);
    FAILS(margay_check("\xff\0", 2, NULL, NULL, MARGAY_SARIF, &found), MARGAY_INVALID_PTX, "is missing");
    margay_text_free(found);
    margay_text_free(NULL);
    FAILS(margay_check(scale, 3, NULL, "sm_1000", MARGAY_TEXT, &found), MARGAY_WRONG_CALL, "unknown target `sm_1000`");
    FAILS(margay_check(scale, 3, NULL, NULL, 9, &found), MARGAY_WRONG_CALL, "unknown format `9`");
    FAILS(margay_check(scale, strlen(scale), NULL, NULL, MARGAY_TEXT, NULL), MARGAY_WRONG_CALL, "`found` is null");
    FAILS(margay_check(NULL, 3, NULL, NULL, MARGAY_TEXT, &found), MARGAY_WRONG_CALL, "`text` is null");
}

static void modules(void)
{
    margay_device *device;
    margay_module *module;
    margay_report *report;
    uint32_t kernel, count;
    uint64_t address, bytes, out;
    uint32_t value;
    margay_parameter parameter;
    margay_account account;
    margay_launch_options options;
    CHECK(margay_device_new(64, &device) == MARGAY_OK);
    FAILS(margay_load(device, broken, strlen(broken), "b.ptx", &module), MARGAY_INVALID_PTX, "did you mean `addc`?");
    CHECK(module == NULL);
    CHECK(margay_load(device, two, strlen(two), NULL, &module) == MARGAY_OK);
    CHECK(margay_kernel_count(module) == 9 && margay_kernel_count(NULL) == 0);
    CHECK(strcmp(margay_kernel_name(module, 1), "second") == 0 && margay_kernel_name(module, 9) == NULL);
    FAILS(margay_kernel(module, NULL, &kernel), MARGAY_WRONG_CALL, "several kernels: `first`");
    FAILS(margay_kernel(module, "third", &kernel), MARGAY_WRONG_CALL, "no kernel `third`");
    FAILS(margay_kernel(module, "first", NULL), MARGAY_WRONG_CALL, "`kernel` is null");
    CHECK(margay_kernel(module, "first", &kernel) == MARGAY_OK && kernel == 0);
    CHECK(margay_kernel_parameters(module, 0, &count, &bytes) == MARGAY_OK && count == 4 && bytes == 32);
    FAILS(margay_kernel_parameters(module, 9, &count, &bytes), MARGAY_WRONG_CALL, "no kernel number `9`");
    memset(&parameter, 0, sizeof parameter);
    FAILS(margay_kernel_parameter(module, 0, 1, &parameter), MARGAY_WRONG_CALL, "write `sizeof`");
    parameter.struct_bytes = sizeof parameter;
    CHECK(margay_kernel_parameter(module, 0, 1, &parameter) == MARGAY_OK);
    CHECK(parameter.offset == 2 && parameter.bytes == 2 && parameter.align == 2 && !parameter.is_array);
    CHECK(parameter.kind == MARGAY_KIND_SIGNED && strcmp(parameter.name, "b") == 0 && parameter.struct_bytes == sizeof parameter);
    CHECK(margay_kernel_parameter(module, 0, 3, &parameter) == MARGAY_OK && parameter.is_array && parameter.bytes == 24);
    FAILS(margay_kernel_parameter(module, 0, 4, &parameter), MARGAY_WRONG_CALL, "no parameter number `4`");
    /* A program that knows only the first fields. */
    parameter.struct_bytes = offsetof(margay_parameter, offset);
    parameter.offset = 99;
    CHECK(margay_kernel_parameter(module, 0, 1, &parameter) == MARGAY_OK && parameter.offset == 99);

    unsigned char a = 1, s[24] = {0};
    short b = 2;
    float f = 3;
    const void *four[] = {&a, &b, &f, s};
    CHECK(margay_launch(module, 0, NULL, four, 4, &report) == MARGAY_OK);
    CHECK(strcmp(margay_report_printed(report), "hi\n") == 0 && *margay_report_text(report) == 0);
    account.struct_bytes = sizeof account;
    CHECK(margay_report_account(report, &account) == MARGAY_OK && account.threads == 1 && account.instructions > 5);
    CHECK(strstr(margay_report_json(report), "\"entry\": \"first\"") != NULL);
    margay_report_free(report);
    margay_report_free(NULL);
    CHECK(margay_variable(module, "counter", &address, &bytes) == MARGAY_OK && bytes == 4);
    CHECK(margay_read(device, address, &value, 4) == MARGAY_OK && value == 6);
    FAILS(margay_variable(module, "none", &address, NULL), MARGAY_WRONG_CALL, "no variable `none`");
    FAILS(margay_launch(module, 0, NULL, four, 3, NULL), MARGAY_WRONG_CALL, "takes 4 arguments, but 3 are given");
    FAILS(margay_launch(module, 0, NULL, NULL, 4, NULL), MARGAY_WRONG_CALL, "`arguments` is null");
    four[2] = NULL;
    FAILS(margay_launch(module, 0, NULL, four, 4, NULL), MARGAY_WRONG_CALL, "`arguments[2]` is null");
    FAILS(margay_launch(NULL, 0, NULL, NULL, 0, NULL), MARGAY_WRONG_CALL, "`module` is null");
    FAILS(margay_launch(module, 5, NULL, NULL, 0, &report), MARGAY_REFUSED, "tex.2d.v4.f32.f32");
    CHECK(report == NULL);

    CHECK(margay_alloc(device, 4, "out", &out) == MARGAY_OK);
    const void *one[] = {&out};
    memset(&options, 0, sizeof options);
    options.struct_bytes = sizeof options;
    CHECK(margay_launch(module, 1, &options, one, 1, NULL) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 7);
    /* What a device computes otherwise is told, unless that is what was asked for. */
    CHECK(margay_launch(module, 4, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 3);
    CHECK(margay_report_account(report, &account) == MARGAY_OK && account.warnings == 1);
    CHECK(strncmp(margay_report_warnings(report), "warning: <ptx>:", 15) == 0);
    CHECK(strstr(margay_report_warnings(report), "`subc.u32` reads the carry flag of `add.cc.u32`") != NULL);
    CHECK(strstr(margay_report_json(report), "`subc.u32` reads") != NULL);
    margay_report_free(report);
    options.semantics = MARGAY_SEMANTICS_PTXAS_13_5;
    CHECK(margay_launch(module, 4, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 4);
    CHECK(margay_report_account(report, &account) == MARGAY_OK && account.warnings == 0);
    CHECK(*margay_report_warnings(report) == 0 && *margay_report_warnings(NULL) == 0);
    margay_report_free(report);
    /* Approximate functions are a device's, or correctly rounded; the latter says nothing about errata. */
    CHECK(margay_launch(module, 6, &options, one, 1, NULL) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 0x3e003e9f);
    options.semantics = MARGAY_SEMANTICS_ROUNDED;
    CHECK(margay_launch(module, 6, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 0x3e003ea0);
    CHECK(strstr(margay_report_json(report), "\"semantics\": \"rounded\"") != NULL);
    margay_report_free(report);
    CHECK(margay_launch(module, 4, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 3);
    CHECK(margay_report_account(report, &account) == MARGAY_OK && account.warnings == 1);
    margay_report_free(report);
    options.semantics = MARGAY_SEMANTICS_ROUNDED + 1;
    FAILS(margay_launch(module, 6, &options, one, 1, NULL), MARGAY_WRONG_CALL, "no semantics `3`");
    options.semantics = MARGAY_SEMANTICS_MANUAL;
    /* A product is rounded, or added as it is. */
    CHECK(margay_launch(module, 7, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 0);
    CHECK(strstr(margay_report_json(report), "\"contract\": false") != NULL);
    margay_report_free(report);
    options.contract = 1;
    CHECK(margay_launch(module, 7, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 0x33800000);
    CHECK(strstr(margay_report_json(report), "\"contract\": true") != NULL);
    margay_report_free(report);
    options.contract = 0;
    /* Products of matrices are those of the module's target, or of another device. */
    options.block[0] = 32;
    CHECK(margay_launch(module, 8, &options, one, 1, NULL) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 0x41000000);
    options.device = 90;
    CHECK(margay_launch(module, 8, &options, one, 1, NULL) == MARGAY_OK);
    CHECK(margay_read(device, out, &value, 4) == MARGAY_OK && value == 0x40ffffff);
    options.device = 81;
    FAILS(margay_launch(module, 8, &options, one, 1, NULL), MARGAY_WRONG_CALL, "no device `81`");
    options.device = 65536 + 90;
    FAILS(margay_launch(module, 8, &options, one, 1, NULL), MARGAY_WRONG_CALL, "no device `65626`");
    options.device = 0;
    options.block[0] = 2;
    options.sanitize = MARGAY_SANITIZE_RACE | MARGAY_SANITIZE_INIT | MARGAY_SANITIZE_SYNC;
    CHECK(margay_launch(module, 2, &options, one, 1, &report) == MARGAY_OK);
    CHECK(margay_report_account(report, &account) == MARGAY_OK && account.findings == 1);
    CHECK(strstr(margay_report_text(report), "race") != NULL);
    margay_report_free(report);
    options.sanitize = 16;
    FAILS(margay_launch(module, 2, &options, one, 1, NULL), MARGAY_WRONG_CALL, "sanitizer `16`");
    options.sanitize = 0;
    options.engine = 2;
    FAILS(margay_launch(module, 2, &options, one, 1, NULL), MARGAY_WRONG_CALL, "no engine `2`");
    options.engine = MARGAY_ENGINE_GOLDEN;
    options.block[0] = 2048;
    FAILS(margay_launch(module, 2, &options, one, 1, NULL), MARGAY_REFUSED, "1024");
    options.block[0] = 0;
    out += 4;
    FAILS(margay_launch(module, 1, &options, one, 1, &report), MARGAY_TRAP, "just past the end of out");
    CHECK(report != NULL && strstr(margay_report_json(report), "\"error\": {") != NULL);
    margay_report_free(report);
    options.max_steps = 1000;
    options.workers = 1;
    FAILS(margay_launch(module, 3, &options, NULL, 0, NULL), MARGAY_TRAP, "again");
    struct { margay_launch_options known; uint64_t later; } newer = {options, 0};
    newer.known.struct_bytes = sizeof newer;
    FAILS(margay_launch(module, 3, &newer.known, NULL, 0, NULL), MARGAY_TRAP, "again");
    newer.later = 1;
    FAILS(margay_launch(module, 3, &newer.known, NULL, 0, NULL), MARGAY_WRONG_CALL, "does not know");
    margay_device_free(device);
    margay_module_free(module);
    margay_module_free(NULL);
}

static int run(const char *text, int n, void *args[], int block, int grid)
{
    return ptx_run(text, n, args, block, 1, 1, grid, 1, 1, 0);
}

static void ocelot(void)
{
    uint32_t numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    void *args[] = {numbers, (void *)(size_t)8, (void *)(size_t)0xdeadbeef00000003};
    CHECK(run(scale, 3, args, 4, 2) == 0 && numbers[0] == 3 && numbers[7] == 24);
    CHECK(run(NULL, 3, args, 4, 2) == MARGAY_WRONG_CALL && run(scale, 3, NULL, 4, 2) == MARGAY_WRONG_CALL);
    CHECK(run(scale, 2, args, 4, 2) == MARGAY_WRONG_CALL && run(scale, -1, args, 4, 2) == MARGAY_WRONG_CALL);
    CHECK(run(scale, 3, args, 0, 2) == MARGAY_WRONG_CALL && run(scale, 3, args, 4, -2) == MARGAY_WRONG_CALL);
    CHECK(ptx_run(scale, 3, args, 4, 1, 1, 2, 1, 1, -1) == MARGAY_WRONG_CALL);
    CHECK(run(scale, 3, args, 4096, 1) == MARGAY_REFUSED);
    CHECK(run(broken, 0, NULL, 1, 1) == MARGAY_INVALID_PTX && run("\xff", 0, NULL, 1, 1) == MARGAY_INVALID_PTX);
    CHECK(run("", 0, NULL, 1, 1) == MARGAY_INVALID_PTX);
    CHECK(run(".version 8.0\n.target sm_80\n", 0, NULL, 1, 1) == MARGAY_WRONG_CALL);
    /* By value. */
    CHECK(run(two, 4, (void *[]){NULL, NULL, NULL, NULL}, 1, 1) == MARGAY_WRONG_CALL);
    args[0] = NULL;
    CHECK(run(scale, 3, args, 4, 2) == MARGAY_TRAP);
    args[0] = (char *)numbers + 2;
    CHECK(run(scale, 3, args, 1, 1) == MARGAY_TRAP);
    args[0] = (void *)(~(size_t)0 - 63);
    CHECK(run(scale, 3, args, 1, 1) == MARGAY_TRAP);
    /* Texts that cannot say that addresses have 64 bits, and one that could. */
    args[0] = numbers;
    const char *old = ".version 1.4\n.target sm_13\n.entry k(.param .u64 p) {\n.reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
                      "ld.param.u64 %rd1, [p]; mov.u32 %r1, 99; st.global.u32 [%rd1], %r1; exit;\n}\n";
    CHECK(run(old, 1, args, 1, 1) == 0 && numbers[0] == 99);
    const char *narrow = ".version 8.0\n.target sm_80\n.entry k() { ret; }\n";
    CHECK(run(narrow, 0, NULL, 1, 1) == MARGAY_REFUSED);
    /* Variables begin anew. */
    const char *counts = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 n = 5;\n.entry k(.param .u64 p) {\n"
                         ".reg .u64 %rd<2>; .reg .u32 %r<2>;\nld.param.u64 %rd1, [p]; atom.global.add.u32 %r1, [n], 1;\n"
                         "st.global.u32 [%rd1], %r1; ret;\n}\n";
    for (int k = 0; k < 2; k++)
        CHECK(run(counts, 1, args, 1, 1) == 0 && numbers[0] == 5);
    /* Registered ranges, with a byte too few, from an odd address, or not to be written. */
    CHECK(ptx_register(NULL, 1, 0) == MARGAY_WRONG_CALL && ptx_unregister(numbers) == MARGAY_WRONG_CALL);
    CHECK(ptx_register(numbers, 31, 0) == 0 && run(scale, 3, args, 8, 1) == MARGAY_TRAP);
    CHECK(ptx_register(numbers, 1, 0) == MARGAY_WRONG_CALL && ptx_unregister(numbers) == 0);
    CHECK(ptx_register(numbers, 32, 1) == 0 && run(scale, 3, args, 8, 1) == MARGAY_TRAP && ptx_unregister(numbers) == 0);
    CHECK(ptx_register((char *)numbers + 3, 29, 0) == 0 && run(scale, 3, args, 8, 1) == MARGAY_TRAP);
    args[0] = numbers + 1;
    args[1] = (void *)(size_t)7;
    CHECK(run(scale, 3, args, 8, 1) == 0 && ptx_unregister((char *)numbers + 3) == 0);
    CHECK(run(scale, 3, args, 8, 1) == 0);
}

static margay_device *device;
static margay_module *module;

static void *worker(void *number)
{
    uint32_t seed = (uint32_t)(size_t)number;
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t numbers[33], count = 33, factor = seed + round;
        uint64_t address;
        for (uint32_t k = 0; k < count; k++)
            numbers[k] = k;
        void *args[] = {numbers, (void *)(size_t)count, (void *)(size_t)factor};
        CHECK(run(scale, 3, args, 32, 2) == 0);
        for (uint32_t k = 0; k < count; k++)
            CHECK(numbers[k] == k * factor);
        CHECK(margay_alloc(device, sizeof numbers, "numbers", &address) == MARGAY_OK);
        CHECK(margay_write(device, address, numbers, sizeof numbers) == MARGAY_OK);
        const void *arguments[] = {&address, &count, &factor};
        margay_launch_options options = {.struct_bytes = sizeof options, .grid = {2}, .block = {32}};
        options.sanitize = round % 5 == 0 ? MARGAY_SANITIZE_RACE | MARGAY_SANITIZE_INIT : 0;
        CHECK(margay_launch(module, 0, &options, arguments, 3, NULL) == MARGAY_OK);
        CHECK(margay_read(device, address, numbers, sizeof numbers) == MARGAY_OK);
        for (uint32_t k = 0; k < count; k++)
            CHECK(numbers[k] == k * factor * factor);
        CHECK(margay_free(device, address) == MARGAY_OK);
        char *found;
        FAILS(margay_check(broken, strlen(broken), "b.ptx", NULL, MARGAY_SHORT, &found), MARGAY_INVALID_PTX, "b.ptx");
        margay_text_free(found);
    }
    return NULL;
}

int main(void)
{
    FILE *file = fopen("scale.ptx", "rb");
    if (!file || !fread(scale, 1, sizeof scale - 1, file))
        return 2;
    fclose(file);
    CHECK(margay_abi() == MARGAY_ABI && margay_version()[0] != 0 && margay_last_error()[0] == 0);
    devices();
    texts();
    modules();
    ocelot();
    CHECK(margay_device_new(64, &device) == MARGAY_OK);
    CHECK(margay_load(device, scale, strlen(scale), "scale.ptx", &module) == MARGAY_OK);
    pthread_t threads[8];
    for (size_t k = 0; k < 8; k++)
        pthread_create(&threads[k], NULL, worker, (void *)(k + 1));
    for (size_t k = 0; k < 8; k++)
        pthread_join(threads[k], NULL);
    margay_module_free(module);
    margay_device_free(device);
    if (!wrong)
        puts("all good");
    return wrong;
}
