//! From typed arguments to the bytes of a kernel's parameter block.

use crate::error::LaunchError;
use margay_front::module::{Function, Parameter};

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A number, as the bytes it has in memory (little-endian).
    Bytes(Vec<u8>),
    /// A device address.
    Address(u64),
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl From<$ty> for Argument {
            fn from(value: $ty) -> Argument {
                Argument::Bytes(value.to_le_bytes().to_vec())
            }
        })*
    };
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

/// The parameter block of a kernel for arguments in the order of its parameters.
///
/// # Errors
/// If there are too few or too many, or one has another size than its parameter.
pub fn parameter_block(
    kernel: &Function,
    address_size: u32,
    arguments: &[Argument],
) -> Result<Vec<u8>, LaunchError> {
    let (given, wanted) = (arguments.len(), kernel.parameters.len());
    if given != wanted {
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!(
            "kernel `{}` takes {wanted} argument{plural}, but {given} {} given",
            kernel.name,
            if given == 1 { "is" } else { "are" }
        );
        return Err(with_parameters(LaunchError::new(message), kernel));
    }
    let mut block = vec![0; kernel.parameter_bytes as usize];
    for (k, (argument, parameter)) in arguments.iter().zip(&kernel.parameters).enumerate() {
        let bytes = match argument {
            Argument::Bytes(bytes) => bytes.clone(),
            Argument::Address(address) => address.to_le_bytes()[..address_size as usize / 8].to_vec(),
        };
        if bytes.len() as u64 != parameter.size {
            let message = misfit(argument, bytes.len(), address_size, parameter);
            let error = LaunchError::new(format!("argument {} {message}", k + 1));
            return Err(with_parameters(error, kernel));
        }
        let at = parameter.offset as usize;
        block[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    Ok(block)
}

/// Why an argument of this many bytes is not one for the parameter.
fn misfit(argument: &Argument, have: usize, address_size: u32, parameter: &Parameter) -> String {
    let (wanted, size) = (describe(parameter), parameter.size);
    match argument {
        Argument::Address(_) if address_size == 32 && size == 8 => {
            "is a buffer, and addresses have 32 bits here: the module does not say `.address_size 64`"
                .to_string()
        }
        Argument::Address(_) => format!("is a buffer, but {wanted} takes a value of {}", bytes(size)),
        Argument::Bytes(_) => format!("has {}, but {wanted} has {size}", bytes(have as u64)),
    }
}

fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

fn with_parameters(error: LaunchError, kernel: &Function) -> LaunchError {
    let list: Vec<_> = kernel.parameters.iter().map(describe).collect();
    if list.is_empty() { error } else { error.help(format!("it takes {}", list.join(", "))) }
}

fn describe(p: &Parameter) -> String {
    if p.is_array {
        let elements = p.size / u64::from(p.element.width() / 8).max(1);
        format!("`{} {}[{elements}]`", p.element, p.name)
    } else {
        format!("`{} {}`", p.element, p.name)
    }
}
