//! Python values as arguments of kernels.

use half::f16;
use margay::front::module::Parameter;
use margay::isa::{Kind, Ty};
use margay::problem::Problem;
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::array::Bytes;
use crate::raise;

/// An argument, without its place in the device's memory.
pub enum Given {
    /// An array: the kernel gets its address.
    Array(Bytes),
    /// A value: so many bytes.
    Value(Vec<u8>),
}

/// What a parameter takes, for messages: `u32 n`.
pub fn describe(p: &Parameter) -> String {
    let elements = p.size / u64::from(p.element.width() / 8).max(1);
    if p.is_array {
        format!("{} {}[{elements}]", p.element, p.name)
    } else {
        format!("{} {}", p.element, p.name)
    }
}

/// An argument from a Python value, for a parameter.
pub fn given(value: &Bound<PyAny>, number: usize, parameter: &Parameter) -> PyResult<Given> {
    let py = value.py();
    let wrong = |problem: Problem| {
        raise::launch_error(py, &problem.within(format!("argument {number} (`{}`)", describe(parameter))))
    };
    if let Some(array) = array(value)? {
        let bytes = Bytes::of(&array)?.map_err(wrong)?;
        if parameter.is_array {
            let help = "pass `array.tobytes()`, or one record of the array";
            return Err(wrong(Problem::new("a structure is passed by value, not as an array").help(help)));
        }
        return Ok(Given::Array(bytes));
    }
    if value.is_none() {
        return Ok(Given::Value(vec![0; parameter.size as usize]));
    }
    if let Some(bytes) = bytes(value, parameter)? {
        return Ok(Given::Value(bytes));
    }
    if parameter.is_array {
        let help = format!("pass {} bytes, or a NumPy record", parameter.size);
        let name = value.get_type().name()?;
        return Err(wrong(Problem::new(format!("`{name}` is no structure")).help(help)));
    }
    let number = number_bytes(value, parameter.element)?.map_err(wrong)?;
    Ok(Given::Value(number))
}

/// A NumPy array, or one that shares the memory of an object that offers DLPack.
fn array<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(Some(array.clone()));
    }
    // NumPy's own scalars do not have it, and neither has anything else that is a value.
    if !value.hasattr("__dlpack__")? {
        return Ok(None);
    }
    let shared = value.py().import("numpy")?.call_method1("from_dlpack", (value,))?;
    Ok(Some(shared.cast_into::<PyUntypedArray>()?))
}

/// The bytes of what is bytes: a structure, or a NumPy scalar where the parameter's type leaves open what bits mean.
fn bytes(value: &Bound<PyAny>, parameter: &Parameter) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Some(bytes.to_vec()));
    }
    if value.hasattr("tobytes")? {
        let dtype = value.getattr_opt("dtype")?;
        let kind = dtype.map(|dtype| dtype.getattr("kind")?.extract::<char>()).transpose()?;
        let open = parameter.element.kind == Kind::Untyped;
        if kind.is_none_or(|kind| kind == 'V' || kind == 'f' && open) {
            return Ok(Some(value.call_method0("tobytes")?.extract()?));
        }
        return Ok(None);
    }
    // Structures of `ctypes` offer their memory, and numbers do not.
    let view = value.py().import("builtins")?.call_method1("memoryview", (value,));
    match view {
        Ok(view) => Ok(Some(view.call_method0("tobytes")?.extract()?)),
        Err(_) => Ok(None),
    }
}

/// A number as the bytes of a type.
fn number_bytes(value: &Bound<PyAny>, ty: Ty) -> PyResult<Result<Vec<u8>, Problem>> {
    let name = value.get_type().name()?.to_string();
    let bytes = ty.width() as usize / 8;
    if ty.kind == Kind::Float
        && let Ok(number) = value.extract::<f64>()
    {
        return Ok(float_bytes(number, ty));
    }
    match integer(value)? {
        Integer::Is(number) => Ok(integer_bytes(number, ty).map(|bits| bits.to_le_bytes()[..bytes].to_vec())),
        Integer::TooLarge => Ok(Err(does_not_fit(&value.str()?.to_string(), ty))),
        Integer::No => match value.extract::<f64>() {
            Ok(number) => {
                let help = match ty.kind {
                    Kind::Untyped => format!("to pass its bits, pass `np.float{}({number})`", ty.width()),
                    _ => format!("pass `int({number})`"),
                };
                Ok(Err(Problem::new(format!("`{number}` is no integer")).help(help)))
            }
            Err(_) => {
                let help = "pass a NumPy array, a number, bytes or a NumPy record";
                Ok(Err(Problem::new(format!("`{name}` is nothing that a kernel takes")).help(help)))
            }
        },
    }
}

/// A Python value, read as an integer.
pub enum Integer {
    Is(i128),
    TooLarge,
    No,
}

/// Reads an integer of Python or NumPy, or a truth value.
pub fn integer(value: &Bound<PyAny>) -> PyResult<Integer> {
    // Python 3.9 would make integers of floats.
    if !value.hasattr("__index__")? {
        return Ok(value.extract::<bool>().map_or(Integer::No, |truth| Integer::Is(truth.into())));
    }
    match value.extract::<i128>() {
        Ok(number) => Ok(Integer::Is(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(Integer::TooLarge),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Ok(Integer::No),
        Err(error) => Err(error),
    }
}

/// The bits of an integer in a type. Where the type is unsigned, a negative number is taken too: compilers write `.u32` for
/// `int`.
pub fn integer_bytes(number: i128, ty: Ty) -> Result<u128, Problem> {
    let width = ty.width();
    if width >= 128 {
        return Ok(number as u128);
    }
    let (least, most) = range(ty);
    if number < least || number > most {
        return Err(does_not_fit(&number.to_string(), ty));
    }
    Ok(number as u128 & ((1 << width) - 1))
}

/// The integers that a type takes.
fn range(ty: Ty) -> (i128, i128) {
    let width = ty.width().min(126);
    let signed = ty.kind == Kind::Signed;
    (-(1 << (width - 1)), (1 << (width - u32::from(signed))) - 1)
}

fn does_not_fit(number: &str, ty: Ty) -> Problem {
    let (least, most) = range(ty);
    Problem::new(format!("`{number}` does not fit `{ty}`")).help(format!("it takes {least} to {most}"))
}

fn float_bytes(number: f64, ty: Ty) -> Result<Vec<u8>, Problem> {
    let (bytes, back) = match ty.width() {
        16 => (f16::from_f64(number).to_le_bytes().to_vec(), f16::from_f64(number).to_f64()),
        32 => ((number as f32).to_le_bytes().to_vec(), f64::from(number as f32)),
        64 => (number.to_le_bytes().to_vec(), number),
        _ => return Err(Problem::new(format!("no number is made a `{ty}`")).help("pass its bytes")),
    };
    if number.is_finite() && !back.is_finite() {
        return Err(Problem::new(format!("`{number}` does not fit `{ty}`")).help("it is too large"));
    }
    Ok(bytes)
}
