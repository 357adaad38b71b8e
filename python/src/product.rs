//! Products of matrices over NumPy arrays.

use margay::front::Source;
use margay::isa::Target;
use margay::problem::Problem;
use margay::product::{Input, Product as Parsed, Refusal, View};
use numpy::PyUntypedArray;
use pyo3::prelude::*;

use crate::array::{Bytes, apart};
use crate::raise;

/// A product D = A·B + C, ready for matrices; see `margay.eval`.
#[pyclass(frozen, module = "margay._margay")]
pub struct Product(Parsed);

/// Name, PTX type of the elements, bytes of one, rows, columns, whether it may be left out.
type Matrix = (String, String, usize, usize, usize, bool);

#[pymethods]
impl Product {
    /// The product that a text is; None if it is another instruction, or none.
    #[staticmethod]
    fn read(py: Python, text: &str) -> PyResult<Option<Product>> {
        let parsed = Parsed::parse(text, View::Matrices).map_err(|refusal| match refusal {
            Refusal::Form(problem) => raise::call_error(py, &problem),
            Refusal::Text(source, found) => {
                raise::ptx_error(py, &Source::new("instruction", source.text), &found)
            }
        });
        Ok(parsed?.map(Product))
    }

    /// The same product if operands with these names are given: of a sparse A that comes without metadata all elements are.
    fn taking(&self, names: Vec<String>) -> Product {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Product(self.0.clone().taking(&names))
    }

    /// The operands that take matrices, in order.
    #[getter]
    fn inputs(&self) -> Vec<Matrix> {
        self.0.inputs().iter().map(matrix).collect()
    }

    /// D.
    #[getter]
    fn result(&self) -> Matrix {
        matrix(self.0.result())
    }

    /// Computes `count` products: inputs are arrays of so many matrices, or None for what may be left out; `result` is filled.
    fn apply(
        &self,
        py: Python,
        count: usize,
        inputs: Vec<Option<Bound<PyUntypedArray>>>,
        result: Bound<PyUntypedArray>,
        device: Option<&str>,
    ) -> PyResult<()> {
        let wrong = |problem: Problem| raise::call_error(py, &problem);
        let device: Option<Target> = device
            .map(|name| {
                name.parse().map_err(|()| {
                    let problem = Problem::new(format!("there is no device `{name}`"));
                    wrong(problem.help("write its target, such as `sm_80`"))
                })
            })
            .transpose()?;
        let device = self.0.device(device).map_err(wrong)?;
        let mut read = Vec::new();
        for array in &inputs {
            read.push(array.as_ref().map(Bytes::of).transpose()?.transpose().map_err(wrong)?);
        }
        let mut written = vec![Bytes::of(&result)?.map_err(wrong)?];
        let arrays: Vec<&Bytes> = read.iter().flatten().collect();
        let refused =
            |error: margay::exec::LaunchError| wrong(Problem { message: error.message, help: error.help });
        let mut filled = apart(&arrays, &mut written).map_err(refused)?;
        let computed = self.0.on(device);
        let d = self.0.result();
        for at in 0..count {
            if at % 1024 == 0 {
                py.check_signals()?;
            }
            let own = |(input, bytes): (&Input, &Option<Bytes>)| {
                let size = input.entry.stored().bytes() * input.count();
                let own = bytes.as_ref().map(|bytes| bytes.shared().get(at * size..(at + 1) * size));
                own.map(|own| input.taken(own.unwrap_or_default())).transpose()
            };
            let given = self.0.inputs().iter().zip(&read).map(own).collect::<Result<_, _>>();
            let values = self.0.completed(given.map_err(wrong)?).map_err(wrong)?;
            let size = d.entry.stored().bytes();
            let to = filled[0].chunks_exact_mut(size).skip(at * d.count());
            for (to, bits) in to.zip(computed.compute(&values)) {
                to.copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        Ok(())
    }
}

fn matrix(input: &Input) -> Matrix {
    let bytes = input.entry.stored().bytes();
    (
        input.name.clone(),
        format!(".{}", input.entry.name()),
        bytes,
        input.rows,
        input.columns,
        input.default.is_some(),
    )
}
