#![no_main]
coopmat_libfuzzer::target!("strings");
