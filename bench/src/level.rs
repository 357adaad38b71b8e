//! The level of vector instructions at which the batch engine runs, and what stands beside it is written and compiled.

use margay_exec::Simd;

/// The variable by which the engine is told.
const VARIABLE: &str = "MARGAY_SIMD";

/// Makes a level the engine's, in this process and those that it starts.
///
/// # Errors
/// If there is no such level, or the machine lacks it.
pub fn choose(name: &str) -> Result<(), String> {
    let level: Simd = name.parse().map_err(|error| format!("{error}"))?;
    if !Simd::available().contains(&level) {
        return Err(format!("this machine lacks the vector instructions of `{name}`"));
    }
    // SAFETY: the process has one thread yet.
    unsafe { std::env::set_var(VARIABLE, name) };
    Ok(())
}

/// Whether what stands beside the engine at a level is for AVX-512: at levels with machine code for it, where the machine has
/// all that such versions use.
pub fn is_avx512(level: Simd) -> bool {
    level >= Simd::Avx512 && Simd::available().contains(&Simd::Avx512)
}

/// The level that the engine uses.
pub fn chosen() -> Simd {
    let named = std::env::var(VARIABLE).ok().and_then(|name| name.parse().ok());
    named.filter(|level| Simd::available().contains(level)).unwrap_or_else(Simd::best)
}
