/* margay: runs and checks NVIDIA PTX on a CPU. Made from the sources of the library: do not edit. */

#ifndef MARGAY_H
#define MARGAY_H

#include <stddef.h>
#include <stdint.h>

// The call did what it should.
#define MARGAY_OK 0

// An argument of the call is wrong: null, out of range, a name that does not exist.
#define MARGAY_WRONG_CALL 1

// The source is not valid PTX.
#define MARGAY_INVALID_PTX 2

// The call was right, and cannot be carried out: no room, or a kernel that margay does not run.
#define MARGAY_REFUSED 3

// The kernel went wrong and was stopped.
#define MARGAY_TRAP 4

// The bytes to be read or written do not all lie in one allocation.
#define MARGAY_FAULT 5

// A fault of margay's own: please report it.
#define MARGAY_BUG 6

// Counts incompatible changes of functions and structures.
#define MARGAY_ABI 1

// Diagnostics for people, as the command `margay check` shows them.
#define MARGAY_TEXT 0

// One line each: `file:line:column: error[P101]: message`.
#define MARGAY_SHORT 1

// One JSON object a line.
#define MARGAY_JSON 2

// One SARIF 2.1.0 log.
#define MARGAY_SARIF 3

// Bytes: of a structure, or of an element without a type.
#define MARGAY_KIND_BYTES 0

// A number without sign, or an address.
#define MARGAY_KIND_UNSIGNED 1

// A number with sign.
#define MARGAY_KIND_SIGNED 2

// A floating-point number.
#define MARGAY_KIND_FLOAT 3

// All threads of a block at once, with the machine's vector instructions.
#define MARGAY_ENGINE_BATCH 0

// One thread after the other, by the manual's pseudo-code.
#define MARGAY_ENGINE_GOLDEN 1

// What the manual says.
#define MARGAY_SEMANTICS_MANUAL 0

// What code of NVIDIA's assembler 13.5 computes.
#define MARGAY_SEMANTICS_PTXAS_13_5 1

// What the manual says, with approximate functions (such as `rcp.approx.f32`) correctly rounded instead of a device's.
#define MARGAY_SEMANTICS_ROUNDED 2

// Watch for data races on shared and global memory.
#define MARGAY_SANITIZE_RACE 1

// Watch for reads of memory and of registers that were never written.
#define MARGAY_SANITIZE_INIT 2

// Watch for barriers and warp operations used in ways that have no meaning.
#define MARGAY_SANITIZE_SYNC 4

// Watch for accesses beyond one variable in shared, local or parameter memory, which end the launch; the others do so too.
#define MARGAY_SANITIZE_MEMORY 8

// Memory of a device. Launches share it; what changes its allocations waits for them.
typedef struct margay_device margay_device;

// A module on a device.
typedef struct margay_module margay_module;

// The account of a launch, in the forms in which it is asked for.
typedef struct margay_report margay_report;

// A parameter of a kernel.
typedef struct margay_parameter {
    // `sizeof` the structure, to be set before the call.
    size_t struct_bytes;
    // Its name, which the module keeps.
    const char *name;
    // Bytes from the start of the parameters.
    uint64_t offset;
    // Bytes.
    uint64_t bytes;
    // A multiple of which the offset is.
    uint64_t align;
    // What its elements are: `MARGAY_KIND_…`.
    uint32_t kind;
    // 1 for an array, as compilers write a structure that is passed by value; otherwise 0.
    uint32_t is_array;
} margay_parameter;

// How a kernel is launched. A structure of zeros with its size is a launch of one thread.
typedef struct margay_launch_options {
    // `sizeof` the structure.
    size_t struct_bytes;
    // Blocks along x, y and z; 0 counts as 1.
    uint32_t grid[3];
    // Threads of a block along x, y and z; 0 counts as 1.
    uint32_t block[3];
    // Bytes of dynamic shared memory of a block.
    uint64_t shared_bytes;
    // `MARGAY_ENGINE_…`.
    uint32_t engine;
    // `MARGAY_SEMANTICS_…`.
    uint32_t semantics;
    // `MARGAY_SANITIZE_…`, added up.
    uint32_t sanitize;
    // Host threads that run blocks; 0 for one for each core.
    uint32_t workers;
    // The most instructions that all threads together may execute; 0 for no limit.
    uint64_t max_steps;
    // Runs blocks and threads in another legal order, drawn from `schedule_seed`, where it is not 0.
    uint32_t has_schedule_seed;
    // Lets blocks run on all workers even where their order can show in the result, where it is not 0.
    uint32_t unordered;
    // Says which order.
    uint64_t schedule_seed;
    // Launches in clusters of the shape `cluster`, where it is not 0; else the kernel says whether it is.
    uint32_t has_cluster;
    // Blocks of a cluster along x, y and z; 0 counts as 1.
    uint32_t cluster[3];
    // Adds products unrounded where the code names no rounding, as NVIDIA's assembler joins them, where it is not 0.
    uint32_t contract;
    // The number of the device as whose tensor cores products of matrices (`mma`, `wmma`) are computed, such as 90 for sm_90; 0 for
    // the module's target.
    uint32_t device;
} margay_launch_options;

// What a launch did, in numbers.
typedef struct margay_account {
    // `sizeof` the structure, to be set before the call.
    size_t struct_bytes;
    // Threads of the grid.
    uint64_t threads;
    // Instructions that they executed; 0 if the launch was stopped.
    uint64_t instructions;
    // Blocks that the batch engine began and the golden engine went on with.
    uint64_t handed_over;
    // How long it took.
    uint64_t nanoseconds;
    // How many findings sanitizers have.
    uint64_t findings;
    // How many lines the kernel can reach of which a device makes something else than the manual says; none where
    // what ptxas 13.5 makes of them was computed.
    uint64_t warnings;
} margay_account;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What `MARGAY_ABI` was when the library was built: a program that was compiled with another one must not go on.
uint32_t margay_abi(void);

// The library's version, such as `0.1.0`.
const char *margay_version(void);

// Why the thread's last failed call failed, in whole lines, as the command `margay` says it. Empty if none has failed. It
// stays until another call of the thread fails.
const char *margay_last_error(void);

// Frees a string that a function returned; null is no text.
//
// # Safety
// It must come from a function that says so, and not have been freed.
void margay_text_free(char *text);

// Checks PTX source of `bytes` bytes; `name` is what diagnostics call it, `target` replaces its `.target` (`sm_90a`). Both may
// be null. `found` gets all errors, warnings and notes in a `format`, to be freed by `margay_text_free`; empty if there are none.
//
// `MARGAY_OK` without an error, `MARGAY_INVALID_PTX` with one; then `margay_last_error` has the first one in short.
//
// # Safety
// `text` must have so many bytes, names must be null or end with a zero byte, `found` must have room for a pointer.
int margay_check(const char *text,
                 size_t bytes,
                 const char *name,
                 const char *target,
                 uint32_t format,
                 char **found);

// Makes a device whose modules have addresses of `address_bits` bits: 64 or 32. Several threads may use it at once.
//
// # Safety
// `device` must have room for a pointer.
int margay_device_new(uint32_t address_bits, struct margay_device **device);

// Says how many bytes of memory a device has. Otherwise it has most of what the machine has free when it is first asked for much.
// Allocations and variables of modules count, not what is lent. Those that are there stay, even if they have more.
//
// # Safety
// `device` must be one.
int margay_device_set_memory(const struct margay_device *device,
                             uint64_t bytes);

// Frees a device; null is none. Its memory stays until the modules on it are freed too.
//
// # Safety
// It must come from `margay_device_new`, and no other call use it any more.
void margay_device_free(struct margay_device *device);

// Allocates zeroed memory; `name` is what errors call it, or null. Addresses are the device's own, and each is given once: one that
// was freed is never another's.
//
// # Safety
// `device` must be one, `name` null or end with a zero byte, `address` have room.
int margay_alloc(const struct margay_device *device,
                 uint64_t bytes,
                 const char *name,
                 uint64_t *address);

// Lends the host's own bytes to the device, until `margay_free`: kernels use them in place, and nothing beside them. They
// begin at a multiple of 16. Kernels may not write to them where `read_only` is not 0.
//
// # Safety
// `device` must be one, `name` null or end with a zero byte, `address` have room. So many bytes must be there until they are given
// back or the device and its modules are freed; while a launch uses them, nobody else writes them, nor uses what it writes.
int margay_lend(const struct margay_device *device,
                void *start,
                uint64_t bytes,
                const char *name,
                int read_only,
                uint64_t *address);

// Gives an allocation or lent bytes back. Kernels that use the address later are stopped.
//
// # Safety
// `device` must be one.
int margay_free(const struct margay_device *device, uint64_t address);

// Copies bytes to the device, into constant memory too.
//
// # Safety
// `device` must be one, `from` have so many bytes.
int margay_write(const struct margay_device *device, uint64_t address, const void *from, uint64_t bytes);

// Copies bytes from the device.
//
// # Safety
// `device` must be one, `to` have room for so many bytes.
int margay_read(const struct margay_device *device, uint64_t address, void *to, uint64_t bytes);

// Checks PTX source of `bytes` bytes and puts its variables on a device. `name` is what errors call the text, or null. With
// `MARGAY_INVALID_PTX`, `margay_last_error` has all errors. Several threads may use a module at once.
//
// # Safety
// `device` must be one, `text` have so many bytes, `name` be null or end with a zero byte, `module` have room for a pointer.
int margay_load(const struct margay_device *device,
                const char *text,
                size_t bytes,
                const char *name,
                struct margay_module **module);

// Frees a module and the memory of its variables; null is none.
//
// # Safety
// It must come from `margay_load`, and no other call use it any more.
void margay_module_free(struct margay_module *module);

// Where a `.global` or `.const` variable lies, and how many bytes it has. What is not wanted may be null.
//
// # Safety
// `module` must be one, `name` end with a zero byte, the others be null or have room.
int margay_variable(const struct margay_module *module, const char *name, uint64_t *address, uint64_t *bytes);

// How many kernels with a body a module has; they are numbered in the order of the text. 0 for null.
//
// # Safety
// `module` must be one or null.
uint32_t margay_kernel_count(const struct margay_module *module);

// The number of the kernel called `name`; of the only one, if `name` is null.
//
// # Safety
// `module` must be one, `name` null or end with a zero byte, `kernel` have room.
int margay_kernel(const struct margay_module *module, const char *name, uint32_t *kernel);

// The name of a kernel, which the module keeps; null if there is no such number.
//
// # Safety
// `module` must be one or null.
const char *margay_kernel_name(const struct margay_module *module, uint32_t kernel);

// How many parameters a kernel has, and how many bytes they take together. What is not wanted may be null.
//
// # Safety
// `module` must be one, the others be null or have room.
int margay_kernel_parameters(const struct margay_module *module, uint32_t kernel, uint32_t *count, uint64_t *bytes);

// A parameter of a kernel, by its number from 0.
//
// # Safety
// `module` must be one, `parameter` have as many bytes as its `struct_bytes` says.
int margay_kernel_parameter(const struct margay_module *module,
                            uint32_t kernel,
                            uint32_t index,
                            struct margay_parameter *parameter);

// Launches a kernel and waits for its end. `arguments` are `count` pointers, one to the value of each parameter in order, which has
// as many bytes as the parameter. `options` may be null: one thread. `report`, if not null, gets an account of
// what ran, to be freed by `margay_report_free`; null if nothing ran. After `MARGAY_TRAP` there is one too.
//
// # Safety
// `module` must be one; `options` null or as long as it says; `arguments` have so many pointers, each to so many bytes as its
// parameter has; `report` be null or have room for a pointer.
int margay_launch(const struct margay_module *module,
                  uint32_t kernel,
                  const struct margay_launch_options *options,
                  const void *const *arguments,
                  uint32_t count,
                  struct margay_report **report);

// The numbers of a report.
//
// # Safety
// `report` must be one, `account` have as many bytes as its `struct_bytes` says.
int margay_report_account(const struct margay_report *report, struct margay_account *account);

// What the kernel printed. The report keeps the text.
//
// # Safety
// `report` must be one or null.
const char *margay_report_printed(const struct margay_report *report);

// What sanitizers found and why the kernel was stopped, for people. The report keeps the text.
//
// # Safety
// `report` must be one or null.
const char *margay_report_text(const struct margay_report *report);

// The warnings for people, a line each: what the manual says, and so was computed, and what code of ptxas 13.5 computes. The
// report keeps the text.
//
// # Safety
// `report` must be one or null.
const char *margay_report_warnings(const struct margay_report *report);

// All of it as one JSON object, as `margay run --format json` has it. The report keeps the text.
//
// # Safety
// `report` must be one or null.
const char *margay_report_json(const struct margay_report *report);

// Frees a report; null is none.
//
// # Safety
// It must come from `margay_launch`, and not have been freed.
void margay_report_free(struct margay_report *report);

// Runs the first kernel of PTX source, of any version and target, and waits for its end. `args` has one entry for each parameter: the
// 64-bit value itself, not its address; a narrower parameter takes the low bits. Pointers are addresses of the host, that
// the caller owns. Variables of the module begin with their initial values each time. 0 if all went well; otherwise a status
// (`MARGAY_INVALID_PTX` and so on), with the reason on standard error. What the kernel prints goes to standard output.
//
// The environment variable `MARGAY_ON_ERROR=abort` ends the process instead of returning a status, for programs that do not
// look at it. `MARGAY_SEMANTICS=ptxas-13.5` computes what code of NVIDIA's assembler 13.5 computes; without it the first launch
// of a text warns on standard error of every line where the manual says otherwise. `MARGAY_APPROX=rounded` rounds approximate
// functions (such as `rcp.approx.f32`) correctly instead of as a device does; the two do not go together. `MARGAY_CONTRACT=1` adds
// products unrounded where the code names no rounding, as NVIDIA's assembler joins them. `MARGAY_DEVICE=sm_90` computes products of
// matrices (`mma`, `wmma`) as the tensor cores of that device do, instead of those of the module's target.
//
// The caller's memory is used as it is: a kernel that leaves it destroys what it hits, as a wrong pointer in C does. Register
// ranges with `ptx_register` to have every access checked.
//
// # Safety
// `source` must end with a zero byte, `args` have `n_args` entries; unless ranges are registered, the kernel may use only memory that is
// there, and that nobody else uses meanwhile.
int ptx_run(const char *source,
            int n_args,
            void **args,
            int block_x,
            int block_y,
            int block_z,
            int grid_x,
            int grid_y,
            int grid_z,
            int shared_bytes);

// Registers bytes of the caller for `ptx_run`. As long as any are registered, kernels may use only registered bytes: every other
// access stops them with the reason. Kernels may not write to them where `read_only` is not 0. 0 if all went well.
//
// # Safety
// So many bytes must be there until `ptx_unregister` takes them back.
int ptx_register(void *start,
                 uint64_t bytes,
                 int read_only);

// Takes registered bytes back, by the address of the first one. 0 if all went well.
int ptx_unregister(void *start);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MARGAY_H */
