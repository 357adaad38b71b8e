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
            let (n, have) = (k + 1, bytes.len());
            let plural = if have == 1 { "" } else { "s" };
            let wanted = describe(parameter);
            let message =
                format!("argument {n} has {have} byte{plural}, but {wanted} has {}", parameter.size);
            return Err(with_parameters(LaunchError::new(message), kernel));
        }
        let at = parameter.offset as usize;
        block[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    Ok(block)
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
