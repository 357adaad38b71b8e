//! Python values as arguments of kernels.

use half::f16;
use margay::front::module::Parameter;
use margay::isa::{Kind, Ty};
use margay::problem::Problem;
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyFloat, PyInt, PyType};

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

/// Why no bytes were made of a value.
enum Wrong {
    /// Another value of its type could do.
    Value(Problem),
    /// No value of its type could.
    Type(Problem),
}

/// An argument from a Python value, for a parameter of a module whose addresses have so many bits.
pub fn given(
    value: &Bound<PyAny>,
    number: usize,
    parameter: &Parameter,
    address_size: u32,
) -> PyResult<Given> {
    if let Some(bytes) = plain(value, parameter) {
        return Ok(Given::Value(bytes));
    }
    let py = value.py();
    let within = |problem: Problem| problem.within(format!("argument {number} (`{}`)", describe(parameter)));
    let wrong = |problem: Problem| raise::launch_error(py, &within(problem));
    let of_no_such_type = |problem: Problem| raise::type_error(&within(problem));
    // Why an address of 32 bits does not fill 64 is said where parameters are filled.
    let takes_address = !parameter.is_array && parameter.size * 8 >= u64::from(address_size);
    if let Some(array) = array(value)? {
        let bytes = if array.is(value) { Bytes::of(&array) } else { Bytes::of_passing(&array) };
        let bytes = bytes?.map_err(wrong)?;
        if parameter.is_array {
            let help = "pass `array.tobytes()`, or one record of the array";
            return Err(of_no_such_type(
                Problem::new("a structure is passed by value, not as an array").help(help),
            ));
        }
        if !takes_address {
            let help = "pass a number, such as `int(array)` or `array.item()`";
            return Err(of_no_such_type(
                Problem::new("cannot pass an array where a number is wanted").help(help),
            ));
        }
        return Ok(Given::Array(bytes));
    }
    if value.is_none() {
        if !takes_address {
            let help = "`None` is the null pointer: pass a number";
            return Err(of_no_such_type(Problem::new("cannot pass `None` where no address fits").help(help)));
        }
        return Ok(Given::Value(vec![0; parameter.size as usize]));
    }
    if let Some(bytes) = bytes(value, parameter)? {
        return Ok(Given::Value(bytes));
    }
    if parameter.is_array {
        let help = format!("pass {} bytes, or a NumPy record", parameter.size);
        let name = value.get_type().name()?;
        return Err(of_no_such_type(
            Problem::new(format!("cannot pass `{name}` where a structure is wanted")).help(help),
        ));
    }
    match number_bytes(value, parameter.element)? {
        Ok(number) => Ok(Given::Value(number)),
        Err(Wrong::Value(problem)) => Err(wrong(problem)),
        Err(Wrong::Type(problem)) => Err(of_no_such_type(problem)),
    }
}

/// The bytes of a number of Python's own that fits, as most numbers are: what else a value could be is found by asking it, which
/// takes longer than a small launch.
fn plain(value: &Bound<PyAny>, parameter: &Parameter) -> Option<Vec<u8>> {
    let ty = parameter.element;
    let is_integer = value.is_exact_instance_of::<PyInt>();
    if parameter.is_array || !is_integer && !value.is_exact_instance_of::<PyFloat>() {
        return None;
    }
    if ty.kind == Kind::Float {
        return float_bytes(value.extract().ok()?, ty).ok();
    }
    let number = if is_integer { value.extract::<i64>().ok()? } else { return None };
    integer_bytes(number.into(), ty).ok().map(|bits| low_bytes(bits, ty))
}

/// A NumPy array, or one that shares the memory of an object that offers DLPack.
fn array<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(Some(array.clone()));
    }
    // NumPy's own scalars do not have it, and neither has anything else that is a value.
    if is_scalar(value)? || !value.hasattr(intern!(value.py(), "__dlpack__"))? {
        return Ok(None);
    }
    let shared = value.py().import("numpy")?.call_method1("from_dlpack", (value,))?;
    Ok(Some(shared.cast_into::<PyUntypedArray>()?))
}

/// Whether a value is a scalar of NumPy's.
fn is_scalar(value: &Bound<PyAny>) -> PyResult<bool> {
    static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    value.is_instance(GENERIC.import(value.py(), "numpy", "generic")?)
}

/// The bytes of what is bytes: a structure, or a NumPy scalar where the parameter's type leaves open what bits mean.
fn bytes(value: &Bound<PyAny>, parameter: &Parameter) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Some(bytes.to_vec()));
    }
    let py = value.py();
    if value.hasattr(intern!(py, "tobytes"))? {
        let dtype = value.getattr_opt(intern!(py, "dtype"))?;
        let kind = dtype.map(|dtype| dtype.getattr(intern!(py, "kind"))?.extract::<char>()).transpose()?;
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
fn number_bytes(value: &Bound<PyAny>, ty: Ty) -> PyResult<Result<Vec<u8>, Wrong>> {
    if ty.kind == Kind::Float
        && let Ok(number) = value.extract::<f64>()
    {
        return Ok(float_bytes(number, ty).map_err(Wrong::Value));
    }
    match integer(value)? {
        Integer::Is(number) => {
            let bits = integer_bytes(number, ty).map_err(Wrong::Value);
            Ok(bits.map(|bits| low_bytes(bits, ty)))
        }
        Integer::TooLarge => Ok(Err(Wrong::Value(does_not_fit(&value.str()?.to_string(), ty)))),
        Integer::No => match value.extract::<f64>() {
            Ok(number) => {
                let help = match ty.kind {
                    Kind::Untyped => format!("to pass its bits, pass `np.float{}({number:?})`", ty.width()),
                    _ => format!("pass `int({number:?})`"),
                };
                Ok(Err(Wrong::Type(Problem::new(format!("`{number:?}` is not an integer")).help(help))))
            }
            Err(_) => {
                let name = value.get_type().name()?;
                let help = "pass a NumPy array, a number, bytes or a NumPy record";
                Ok(Err(Wrong::Type(Problem::new(format!("cannot pass a `{name}` to a kernel")).help(help))))
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
    if !value.is_exact_instance_of::<PyInt>() && !value.hasattr(intern!(value.py(), "__index__"))? {
        return Ok(value.extract::<bool>().map_or(Integer::No, |truth| Integer::Is(truth.into())));
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(Integer::Is(number.into()));
    }
    // What only has an index cannot be shifted, which large numbers are while they are read.
    let number = value.call_method0(intern!(value.py(), "__index__"));
    match number.and_then(|number| number.extract::<i128>()) {
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

/// As many bytes of a number as a type has.
fn low_bytes(bits: u128, ty: Ty) -> Vec<u8> {
    bits.to_le_bytes()[..ty.width() as usize / 8].to_vec()
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
