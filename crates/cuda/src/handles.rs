//! What C knows by handles: numbers that are given once, so that one that is stale or wrong is an error.

use crate::array::{Array, Mipmapped};
use crate::context::Context;
use crate::event::Event;
use crate::executable::Executable;
use crate::failed::{Answer, Failed};
use crate::graph::{Graph, Node};
use crate::kernel::Kernel;
use crate::link::Link;
use crate::module::Module;
use crate::pool::Pool;
use crate::results::Code;
use crate::stream::Stream;
use crate::texture::reference::Reference;
use crate::user_object::UserObject;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

/// The first handle; programs take small numbers for special ones.
const FIRST: usize = 0x4d41_0000;
const STEP: usize = 16;

/// What a handle stands for.
#[derive(Clone)]
pub enum Thing {
    Context(Arc<Context>),
    Module(Arc<Module>),
    Kernel(Arc<Kernel>),
    Stream(Arc<Stream>),
    Event(Arc<Event>),
    Pool(Arc<Pool>),
    Link(Arc<Link>),
    Graph(Arc<Graph>),
    Node(Arc<Node>),
    Executable(Arc<Executable>),
    UserObject(Arc<UserObject>),
    Array(Arc<Array>),
    Mipmapped(Arc<Mipmapped>),
    Reference(Arc<Reference>),
}

impl Thing {
    /// The context that it goes with; 0 for what belongs to none.
    fn context(&self) -> usize {
        match self {
            Thing::Module(module) => module.context,
            Thing::Kernel(kernel) => kernel.module.context,
            Thing::Stream(stream) => stream.context,
            Thing::Event(event) => event.context,
            Thing::Array(array) => array.context,
            Thing::Mipmapped(array) => array.context,
            Thing::Reference(reference) => reference.context,
            Thing::Context(_) | Thing::Pool(_) | Thing::Link(_) | Thing::UserObject(_) => 0,
            Thing::Graph(_) | Thing::Node(_) | Thing::Executable(_) => 0,
        }
    }
}

/// A kind of thing.
pub trait Kind: Sized {
    /// What a call answers that is given a wrong handle for it.
    const UNKNOWN: Code;
    /// The thing, if it is of the kind.
    fn of(thing: Thing) -> Option<Arc<Self>>;
    /// The thing that it is.
    fn thing(this: Arc<Self>) -> Thing;
}

macro_rules! kinds {
    ($($kind:ident $unknown:ident)*) => {
        $(impl Kind for $kind {
            const UNKNOWN: Code = Code::$unknown;
            fn of(thing: Thing) -> Option<Arc<$kind>> {
                match thing {
                    Thing::$kind(found) => Some(found),
                    _ => None,
                }
            }
            fn thing(this: Arc<$kind>) -> Thing {
                Thing::$kind(this)
            }
        })*
    };
}

kinds!(
    Context INVALID_CONTEXT
    Module INVALID_HANDLE
    Kernel INVALID_HANDLE
    Stream INVALID_HANDLE
    Event INVALID_HANDLE
    Pool INVALID_VALUE
    Link INVALID_HANDLE
    Graph INVALID_VALUE
    Node INVALID_VALUE
    Executable INVALID_VALUE
    UserObject INVALID_VALUE
    Array INVALID_HANDLE
    Mipmapped INVALID_HANDLE
    Reference INVALID_HANDLE
);

/// All handles.
pub struct Handles {
    next: AtomicUsize,
    things: RwLock<HashMap<usize, Thing>>,
}

impl Handles {
    pub fn new() -> Handles {
        Handles { next: AtomicUsize::new(FIRST), things: RwLock::default() }
    }

    /// A handle that nothing has.
    pub fn number(&self) -> usize {
        self.next.fetch_add(STEP, Relaxed)
    }

    /// Makes a thing that knows its handle, which is given.
    pub fn make<T: Kind>(&self, make: impl FnOnce(usize) -> T) -> Arc<T> {
        let handle = self.number();
        let made = Arc::new(make(handle));
        self.put(handle, made.clone());
        made
    }

    /// Lets a handle stand for a thing.
    pub fn put<T: Kind>(&self, handle: usize, thing: Arc<T>) {
        self.things.write().unwrap_or_else(PoisonError::into_inner).insert(handle, T::thing(thing));
    }

    /// What a handle stands for.
    pub fn find<T: Kind>(&self, handle: usize) -> Answer<Arc<T>> {
        let found = self.things.read().unwrap_or_else(PoisonError::into_inner).get(&handle).cloned();
        found.and_then(T::of).ok_or(Failed::from(T::UNKNOWN))
    }

    /// Takes a handle back, and gives what it stood for.
    pub fn take<T: Kind>(&self, handle: usize) -> Answer<Arc<T>> {
        let found = self.find::<T>(handle)?;
        self.things.write().unwrap_or_else(PoisonError::into_inner).remove(&handle);
        Ok(found)
    }

    /// Takes back the handles of all that goes with a context, and gives the modules among that.
    pub fn take_all_of(&self, context: usize) -> Vec<Arc<Module>> {
        self.take_those(|thing| thing.context() == context)
    }

    /// Takes back the handles of a module's kernels.
    pub fn take_kernels_of(&self, module: usize) {
        self.take_those(|thing| matches!(thing, Thing::Kernel(kernel) if kernel.module.handle == module));
    }

    fn take_those(&self, mut is_one: impl FnMut(&Thing) -> bool) -> Vec<Arc<Module>> {
        let mut things = self.things.write().unwrap_or_else(PoisonError::into_inner);
        let taken = things.extract_if(|_, thing| is_one(thing)).map(|(_, thing)| thing);
        taken.filter_map(Module::of).collect()
    }
}
