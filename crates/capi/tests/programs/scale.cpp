// The same launch on lent memory, from C++.

#include "margay.h"
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

static void check(int status)
{
    if (status != MARGAY_OK) {
        std::cerr << margay_last_error();
        std::exit(1);
    }
}

int main()
{
    std::ifstream file("scale.ptx");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    alignas(16) std::uint32_t numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    margay_device *device = nullptr;
    margay_module *module = nullptr;
    std::uint32_t kernel = 0;
    std::uint64_t address = 0;
    check(margay_device_new(64, &device));
    check(margay_load(device, text.data(), text.size(), "scale.ptx", &module));
    check(margay_kernel(module, nullptr, &kernel));
    check(margay_lend(device, numbers, sizeof numbers, "numbers", 0, &address));
    const std::uint32_t count = 8, factor = 3;
    const void *arguments[] = {&address, &count, &factor};
    margay_launch_options options{};
    options.struct_bytes = sizeof options;
    options.block[0] = 8;
    options.engine = MARGAY_ENGINE_GOLDEN;
    check(margay_launch(module, kernel, &options, arguments, 3, nullptr));
    for (std::uint32_t k = 0; k < count; k++)
        std::cout << numbers[k] << (k + 1 < count ? ' ' : '\n');
    // In any order: the module keeps its memory.
    margay_device_free(device);
    margay_module_free(module);
}
