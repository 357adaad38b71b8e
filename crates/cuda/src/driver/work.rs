//! What streams and nodes do, carried out: the driver checks it, and does it at once.

use super::Driver;
use crate::door::told::show;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::work::{Fill, Wanted, Work};

impl Driver {
    /// Whether something can be done at all, as far as that is known before.
    pub fn check_work(&self, work: &Work) -> Answer {
        match work {
            Work::Kernel(work) => {
                // How many blocks there are may be told later: until then it can be none.
                let wanted =
                    Wanted { grid: work.wanted.grid.map(|blocks| blocks.max(1)), ..work.wanted.clone() };
                self.check_launch(&work.kernel, &wanted, work.parameters.bytes().to_vec())
            }
            Work::Copy(copy) => copy.check(self),
            Work::Fill(fill) => fill.check(),
            _ => Ok(()),
        }
    }

    /// Does it.
    pub fn carry_out(&self, work: &Work) -> Answer {
        match work {
            Work::Kernel(work) => {
                let parameters = work.parameters.bytes().to_vec();
                let told = self.launch(&work.kernel, &work.context, &work.wanted, parameters)?;
                show(&told);
                Ok(())
            }
            Work::Copy(copy) => copy.carry_out(self),
            Work::Fill(fill) => self.fill_rows(fill),
            Work::Host(function, data) => {
                function(*data);
                Ok(())
            }
            Work::Graph(_) | Work::Empty => Ok(()),
            Work::Wait(event) => {
                event.follow();
                Ok(())
            }
            Work::Record(event) => {
                event.record();
                Ok(())
            }
            Work::Allocate(memory) => memory.take(),
            Work::Free(address) => self.reserved.free(*address),
        }
    }

    fn fill_rows(&self, fill: &Fill) -> Answer {
        if fill.width == 0 {
            return Ok(());
        }
        let value = fill.value.to_le_bytes();
        let pattern = &value[..fill.element as usize];
        (0..fill.height as u64).try_for_each(|row| {
            let at = row.checked_mul(fill.pitch as u64).and_then(|skip| fill.address.checked_add(skip));
            self.fill(at.ok_or(Failed::from(Code::INVALID_VALUE))?, pattern, fill.width as u64)
        })
    }
}
