/* The log: what is told of calls that fail, handed out to functions of the program, and as a text in memory and in a file. */
#include "common.h"
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { ERROR = 0, WARNING = 1, MOST = 100, MOST_BYTES = 25600 };

static const char WRONG[] = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { add.u33 %r1, %r1, 1; ret; }\n";
/* What a device keeps in the carry flag is not what the manual says. */
static const char CARRY[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry carry() {\n"
    " .reg .u32 %r<3>; mov.u32 %r1, 7; sub.cc.u32 %r2, %r1, 5; addc.u32 %r2, 0, 0; ret; }\n";
static const char UNSUPPORTED[] = "margay: `cuArrayGetPlane` is not supported";

static char log_text[MOST_BYTES], last[MOST_BYTES];
static unsigned handed_out, from_others;
static int expected = ERROR;
static CUlogsCallbackHandle own;

/* A call that fails, and is told. */
static void fail(void) { IS(CUDA_ERROR_NOT_SUPPORTED, cuArrayGetPlane(NULL, NULL, 0)); }

static void take(void *data, int level, char *message, size_t length) {
    HOLDS(data == &handed_out && level == expected && strlen(message) == length && length > 0 && message[length - 1] != '\n');
    memcpy(last, message, length + 1);
    /* It is the function's own. */
    message[0] = '?';
    handed_out++;
}

/* The bytes of the log from an iterator on. */
static size_t dump(CUlogIterator *from) {
    size_t bytes = sizeof log_text;
    memset(log_text, '?', sizeof log_text);
    GOOD(cuLogsDumpToMemory(from, log_text, &bytes, 0));
    HOLDS(bytes < sizeof log_text && strlen(log_text) == bytes);
    return bytes;
}

static unsigned lines(const char *text) {
    unsigned count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* Nothing is initialised yet. */
static void before(void) {
    CUlogIterator none, one;
    CUlogsCallbackHandle handle;
    int number;
    GOOD(cuLogsCurrent(&none, 0));
    HOLDS(dump(NULL) == 0 && dump(&none) == 0);
    IS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&number));
    GOOD(cuLogsCurrent(&one, 0));
    HOLDS(one == none);
    GOOD(cuLogsRegisterCallback(take, &handed_out, &handle));
    fail();
    HOLDS(handed_out == 1 && strcmp(last, UNSUPPORTED) == 0);
    GOOD(cuLogsCurrent(&one, 0));
    HOLDS(one != none);
    GOOD(cuLogsUnregisterCallback(handle));
    fail();
    HOLDS(handed_out == 1);
    GOOD(cuLogsRegisterCallback(take, &handed_out, NULL));
    fail();
    HOLDS(handed_out == 2);
}

static void messages(CUmodule module) {
    CUmodule wrong, warned;
    CUlogIterator iterator, before, again;
    CUdeviceptr nowhere = 8;
    void *values[] = {&nowhere};
    unsigned count = handed_out, milliseconds, hour, minute, second;
    int thread, at;
    size_t bytes;
    GOOD(cuLogsCurrent(&iterator, 0));
    before = iterator;
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&wrong, WRONG));
    HOLDS(handed_out == count + 1 && strstr(last, "add.u33"));

    /* When, by which thread, from where, how serious; and the message, with lines of its own. */
    time_t now = time(NULL), earlier = now - 1;
    bytes = dump(&iterator);
    HOLDS(sscanf(log_text, "[%2u:%2u:%2u.%3u][%d][CUDA][E] %n", &hour, &minute, &second, &milliseconds, &thread, &at) == 5);
    HOLDS(thread == getpid() && strlen(last) + at + 1 == bytes && log_text[bytes - 1] == '\n');
    HOLDS(strncmp(log_text + at, last, strlen(last)) == 0 && lines(last) > 1);
    HOLDS(hour == (unsigned)localtime(&now)->tm_hour || hour == (unsigned)localtime(&earlier)->tm_hour);
    HOLDS(dump(&iterator) == 0 && iterator != before);
    GOOD(cuLogsCurrent(&again, 0));
    HOLDS(again == iterator);

    /* What a kernel does wrong is told by the launch. */
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    HOLDS(handed_out == count + 2 && strstr(last, "kernel `read` stopped"));
    IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    HOLDS(handed_out == count + 2);
    HOLDS(dump(&iterator) > 0 && strstr(log_text, last));
    /* The whole log has both. */
    dump(NULL);
    HOLDS(strstr(log_text, "add.u33") && strstr(log_text, last) && strstr(log_text, UNSUPPORTED));
    /* So is what a device would do otherwise. */
    GOOD(cuModuleLoadData(&warned, CARRY));
    expected = WARNING;
    GOOD(cuLaunchKernel(kernel(warned, "carry"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    expected = ERROR;
    HOLDS(handed_out == count + 3 && strncmp(last, "warning: ", 9) == 0);
    HOLDS(dump(&iterator) > 0 && strstr(log_text, "[CUDA][W] warning: "));
    /* A call that fails and says all by its result is not told. */
    IS(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    HOLDS(dump(&iterator) == 0 && handed_out == count + 3);
}

static void small_buffers(void) {
    CUlogIterator iterator, kept;
    size_t one, all, bytes;
    char room[4096];
    GOOD(cuLogsCurrent(&iterator, 0));
    kept = iterator;
    fail();
    one = dump(&iterator);
    for (unsigned n = 0; n < 9; n++) fail();
    iterator = kept;
    all = dump(&iterator);
    HOLDS(all == 10 * one && lines(log_text) == 10);

    /* The zero at the end counts for the room, and not for the bytes. */
    bytes = all + 1, iterator = kept;
    GOOD(cuLogsDumpToMemory(&iterator, room, &bytes, 0));
    HOLDS(bytes == all && room[all] == 0 && iterator != kept);
    bytes = all, iterator = kept;
    GOOD(cuLogsDumpToMemory(&iterator, room, &bytes, 0));
    HOLDS(bytes < all && strlen(room) == bytes && lines(room) <= 10 && lines(room) > 5 && iterator == kept + 10);
    HOLDS(strncmp(room, "margay: older messages are left out", 35) == 0 && room[bytes - 1] == '\n');
    for (size_t small = 0; small <= one; small += one / 2) {
        bytes = small, iterator = kept;
        IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(&iterator, room, &bytes, 0));
        HOLDS(bytes == 0 && iterator == kept);
    }
    /* Nothing has room everywhere. */
    GOOD(cuLogsCurrent(&iterator, 0));
    bytes = 0;
    GOOD(cuLogsDumpToMemory(&iterator, room, &bytes, 0));
    bytes = 1;
    GOOD(cuLogsDumpToMemory(&iterator, room, &bytes, 0));
    HOLDS(bytes == 0 && room[0] == 0);
}

static void many(void) {
    CUlogIterator iterator, start, later;
    char *large = malloc(4 * MOST_BYTES);
    size_t bytes = 4 * MOST_BYTES;
    GOOD(cuLogsCurrent(&start, 0));
    for (unsigned n = 0; n < MOST; n++) fail();
    iterator = start;
    dump(&iterator);
    HOLDS(lines(log_text) == MOST && log_text[0] == '[');
    later = start + 1;
    fail();
    iterator = start;
    dump(&iterator);
    HOLDS(lines(log_text) == MOST + 1 && strncmp(log_text, "margay: older messages are lost", 31) == 0);
    HOLDS(dump(&later) > 0 && lines(log_text) == MOST && log_text[0] == '[' && later == iterator);
    dump(NULL);
    HOLDS(lines(log_text) == MOST + 1 && log_text[0] == 'm');
    /* No more than so many bytes are used. */
    char wide[2001] = {0};
    memset(wide, 'x', sizeof wide - 1);
    for (unsigned n = 0; n < 20; n++) IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(NULL, wide, 0));
    memset(large, '?', bytes);
    GOOD(cuLogsDumpToMemory(NULL, large, &bytes, 0));
    HOLDS(bytes < MOST_BYTES && bytes > MOST_BYTES - 2 * (int)sizeof wide && large[MOST_BYTES] == '?');
    HOLDS(strncmp(large, "margay: older messages are left out", 35) == 0);
    free(large);
}

/* A message as long as can be is cut, so that it can be had. */
static void long_message(void) {
    CUlogIterator iterator;
    CUmodule wrong;
    const size_t count = 30000;
    char *text = malloc(count + sizeof WRONG);
    GOOD(cuLogsCurrent(&iterator, 0));
    strcpy(text, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ");
    size_t at = strlen(text);
    memset(text + at, 'y', count);
    strcpy(text + at + count, " 1; }\n");
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&wrong, text));
    HOLDS(dump(&iterator) > 16000 && strstr(log_text, "yyyy ...\n"));
    free(text);
}

static void file(const char *path) {
    CUlogIterator iterator, end;
    CUlogsCallbackHandle handle;
    char read[sizeof log_text];
    unsigned count = handed_out;
    GOOD(cuLogsCurrent(&iterator, 0));
    end = iterator;
    fail();
    dump(&end);
    GOOD(cuLogsDumpToFile(&iterator, path, 0));
    HOLDS(iterator == end && handed_out == count + 1);
    FILE *file = fopen(path, "r");
    HOLDS(file);
    read[fread(read, 1, sizeof read - 1, file)] = 0;
    fclose(file);
    HOLDS(strcmp(read, log_text) == 0);
    GOOD(cuLogsDumpToFile(NULL, path, 0));
    GOOD(cuLogsDumpToFile(&iterator, path, 0));
    file = fopen(path, "r");
    HOLDS(file && fgetc(file) == EOF);
    fclose(file);
    /* That it cannot be written is told, too. */
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(&iterator, "/no/such/folder/log.txt", 0));
    HOLDS(iterator == end && handed_out == count + 2 && strstr(last, "/no/such/folder/log.txt"));

    size_t bytes = sizeof log_text;
    CUlogIterator ahead = iterator + 2;
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsCurrent(NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsCurrent(&end, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(NULL, NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(NULL, path, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(&ahead, path, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, log_text, NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, log_text, &bytes, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(&ahead, log_text, &bytes, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsRegisterCallback(NULL, NULL, &handle));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback(NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback((CUlogsCallbackHandle)&handle));
    HOLDS(handed_out == count + 2);
    /* What is wrong here is told. */
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, NULL, &bytes, 0));
    HOLDS(handed_out == count + 3 && strstr(last, "no buffer"));
}

/* A function that calls the driver: what it does wrong is kept, and not handed out. Then it takes itself back. */
static void calls(void *executable, int level, char *message, size_t length) {
    CUlogIterator iterator;
    CUgraphExec launched = *(CUgraphExec *)executable;
    HOLDS(level == ERROR && length == strlen(message));
    if (launched) {
        IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
        GOOD(cuGraphLaunch(launched, NULL));
    }
    GOOD(cuLogsCurrent(&iterator, 0));
    fail();
    HOLDS(dump(&iterator) > 0 && lines(log_text) == 1 && strstr(log_text, UNSUPPORTED));
    GOOD(cuLogsUnregisterCallback(own));
    IS(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback(own));
    from_others++;
}

static void within(CUmodule module) {
    CUgraph graph;
    CUgraphExec executable = NULL;
    CUstream stream;
    CUlogIterator iterator, end;
    CUdeviceptr nowhere = 8;
    void *values[] = {&nowhere};
    unsigned count = handed_out;
    GOOD(cuLogsRegisterCallback(calls, &executable, &own));
    GOOD(cuLogsCurrent(&iterator, 0));
    fail();
    GOOD(cuLogsCurrent(&end, 0));
    HOLDS(from_others == 1 && handed_out == count + 1 && end == iterator + 2);
    fail();
    HOLDS(from_others == 1 && handed_out == count + 2);

    /* Not even the graph that is launched is locked. */
    GOOD(cuStreamCreate(&stream, 0));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, stream, values, NULL));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphInstantiateWithFlags(&executable, graph, 0));
    GOOD(cuLogsRegisterCallback(calls, &executable, &own));
    GOOD(cuGraphLaunch(executable, NULL));
    HOLDS(from_others == 2 && handed_out == count + 3 && strstr(last, "kernel `read` stopped"));
    IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    GOOD(cuCtxSynchronize());
    GOOD(cuGraphExecDestroy(executable));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuStreamDestroy_v2(stream));
}

static void *fails(void *unused) {
    for (unsigned n = 0; n < 50; n++) fail();
    return unused;
}

static void counts(void *data, int level, char *message, size_t length) {
    HOLDS(level == ERROR && length == strlen(message));
    __atomic_fetch_add((unsigned *)data, 1, __ATOMIC_RELAXED);
}

static void threads(void) {
    pthread_t all[4];
    CUlogsCallbackHandle handle;
    CUlogIterator iterator, end;
    unsigned count = 0;
    GOOD(cuLogsCurrent(&iterator, 0));
    GOOD(cuLogsRegisterCallback(counts, &count, &handle));
    for (unsigned n = 0; n < 4; n++) HOLDS(pthread_create(&all[n], NULL, fails, NULL) == 0);
    for (unsigned n = 0; n < 4; n++) HOLDS(pthread_join(all[n], NULL) == 0);
    GOOD(cuLogsUnregisterCallback(handle));
    GOOD(cuLogsCurrent(&end, 0));
    HOLDS(count == 200 && end == iterator + 200);
}

int main(int count, char **arguments) {
    HOLDS(count == 2 && setenv("MARGAY_SEMANTICS", "manual", 1) == 0);
    before();
    threads();
    CUmodule module = begin();
    /* It was registered without a handle, and stays. */
    messages(module);
    small_buffers();
    many();
    long_message();
    file(arguments[1]);
    within(module);
    puts("all good");
    return 0;
}
