//! Runs, checks and explains NVIDIA PTX on a CPU: the library and the command.
