//! Surface objects.

use super::pass::{In, Place};
use super::texture::{DriverResource, Resource};
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateSurfaceObject(surface: Place<u64>, resource: In<Resource>) -> Status {
    call(|runtime| runtime.driver.cuSurfObjectCreate(surface, &resource.read()?.for_driver()?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroySurfaceObject(surface: u64) -> Status {
    call(|runtime| runtime.driver.cuSurfObjectDestroy(surface))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSurfaceObjectResourceDesc(to: Place<Resource>, surface: u64) -> Status {
    call(|runtime| {
        let mut told = DriverResource::default();
        runtime.driver.cuSurfObjectGetResourceDesc(&mut told, surface)?;
        to.give(Resource::of(&told)?)
    })
}
