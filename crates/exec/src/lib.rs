//! From a valid module to results: engines, grids, memory and traps.
