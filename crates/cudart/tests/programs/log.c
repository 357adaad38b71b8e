/* The log by the runtime library: the driver's. */
#include "runtime.h"

typedef void *LogHandle;

Error cudaLogsRegisterCallback(void (*)(void *, int, char *, size_t), void *, LogHandle *), cudaLogsUnregisterCallback(LogHandle);
Error cudaLogsCurrent(unsigned *, unsigned), cudaLogsDumpToFile(unsigned *, const char *, unsigned);
Error cudaLogsDumpToMemory(unsigned *, char *, size_t *, unsigned);
Error cudaLibraryLoadData(void **, const void *, void *, void *, unsigned, void *, void *, unsigned);

static const char WRONG[] = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { add.u33 %r1, %r1, 1; ret; }\n";

static char last[25600], text[25600], file_text[25600];
static int handed_out;

static void take(void *data, int level, char *message, size_t length) {
    int count;
    HOLDS(data == &handed_out && level == 0 && strlen(message) == length);
    memcpy(last, message, length + 1);
    GOOD(cudaGetDeviceCount(&count));
    handed_out++;
}

static void fail(void) {
    void *library;
    IS(218, cudaLibraryLoadData(&library, WRONG, NULL, NULL, 0, NULL, NULL, 0));
}

int main(int count, char **arguments) {
    unsigned iterator, before;
    size_t bytes = sizeof text;
    LogHandle handle;
    HOLDS(count == 2);
    GOOD(cudaLogsCurrent(&iterator, 0));
    before = iterator;
    GOOD(cudaLogsRegisterCallback(take, &handed_out, &handle));
    fail();
    HOLDS(handed_out == 1 && strstr(last, "add.u33"));
    GOOD(cudaLogsDumpToMemory(&iterator, text, &bytes, 0));
    HOLDS(strlen(text) == bytes && strstr(text, "[CUDA][E] ") && strstr(text, last) && iterator != before);
    GOOD(cudaLogsDumpToFile(&before, arguments[1], 0));
    HOLDS(before == iterator);
    FILE *file = fopen(arguments[1], "r");
    HOLDS(file && fread(file_text, 1, sizeof file_text, file) == bytes && strcmp(file_text, text) == 0);
    fclose(file);
    bytes = sizeof text;
    GOOD(cudaLogsDumpToMemory(&iterator, text, &bytes, 0));
    HOLDS(bytes == 0);
    GOOD(cudaLogsUnregisterCallback(handle));
    fail();
    HOLDS(handed_out == 1);

    /* What is wrong is an error of the runtime's. */
    IS(218, cudaGetLastError());
    IS(1, cudaLogsRegisterCallback(NULL, NULL, &handle));
    IS(1, cudaLogsUnregisterCallback(handle));
    IS(1, cudaLogsCurrent(NULL, 0));
    IS(1, cudaLogsDumpToFile(NULL, NULL, 0));
    IS(1, cudaLogsDumpToMemory(NULL, text, NULL, 0));
    IS(1, cudaGetLastError());
    puts("all good");
    return 0;
}
