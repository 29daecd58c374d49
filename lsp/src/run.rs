//! `coopmat-analyzer run`: runs a shader as its recipe says, and tells what came of it.

pub mod child;
mod device;
mod device_images;
mod headroom;
mod heat;
mod place;
mod pool;
mod prepare;
mod profile;
mod table;
mod text;
mod tier;
mod trace;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use coopmat_recipe::report::Modes;
use coopmat_recipe::{Host, Plan, Tier, modes, npy};

use crate::arguments::{Checked, ModeOptions, RunOptions};
use crate::colour::in_colour;
use crate::output::print;
use crate::program::on_a_large_stack;

pub use child::{execute as execute_job, serve as serve_job};
pub use device::{Repeated, buffers as buffers_on_device, split as device_of, times as on_device};
pub use heat::encode as encode_png;
pub use place::Places;
pub use pool::{Bar, Threads, count as threads};
pub use prepare::{Failure as Failed, Prepared, Wanted, analysis_of, no_recipe, placed, prepare, shader_of};
pub use profile::{first_workgroups, ownership as profiled_ownership};
pub use text::{count as count_of, paint};
pub use tier::TierChoice;

pub fn run(options: &RunOptions) -> ExitCode {
    if options.schema {
        let of_profile = options.profile.then(profile::schema);
        return print(&of_profile.unwrap_or_else(coopmat_recipe::schema));
    }
    on_a_large_stack("the run", || run_file(options))
}

/// The exit code, or why the command line cannot be carried out.
fn run_file(options: &RunOptions) -> Result<ExitCode, String> {
    let (path, recipe) = named(options)?;
    let (device, profile) = device::split(options.shader.device.as_deref());
    if options.diff.is_some() && device.is_none() {
        return Err("--diff compares a device with the simulator: add --device vulkan".to_owned());
    }
    if options.repeat.is_some() && device.is_none() {
        return Err("--repeat times the runs of a device: add --device vulkan".to_owned());
    }
    let SetUp { prepared, modes: chosen, path } = match set_up(options, profile, (path, recipe), false) {
        Ok(set_up) => set_up,
        Err(prepare::Failure::Told) => return Ok(ExitCode::FAILURE),
        Err(prepare::Failure::Unusable(message)) => return Err(message),
        Err(prepare::Failure::Text(text)) => return Ok(print(&text)),
    };
    let plan = &prepared.plan;
    let threads = Threads::new(options.threads)?;
    let bar = pool::Bar::new(plan, options.json);
    let started = Instant::now();
    let machine_code = options.tier.machine_code();
    let is_profiled = options.profile || options.profile_file.is_some();
    let (profiling, observers) = match is_profiled {
        true => {
            let (profiling, observers) = profile::profiling(&prepared, &chosen);
            (Some(profiling), observers)
        }
        false if options.trace => (None, trace::observers(&prepared)),
        false => (None, Vec::new()),
    };
    let mut finished = coopmat_recipe::run(
        plan,
        &prepared.recipe,
        &chosen,
        Host {
            pool: Some(&threads.with(&bar)),
            tier: machine_code.as_ref().filter(|_| observers.is_empty()).map(|tier| tier as &dyn Tier),
            observers,
            place: &|dispatch, instruction| prepared.place(dispatch, instruction),
            go_on: &mut |done, _| {
                bar.set(done);
                true
            },
        },
    );
    bar.finish();
    finished.report.seconds = Some(started.elapsed().as_secs_f64());
    finished.report.shader.clone_from(&path);
    prepared.name_shaders(&mut finished.report);
    finished.report.recipe.clone_from(&prepared.recipe_path);

    let profiled = profiling.map(|profiling| profile::finish(profiling, &prepared, &finished.report));
    if let (Some(path), Some((_, file))) = (&options.profile_file, &profiled) {
        std::fs::write(path, file).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let profile = profiled.map(|(profile, _)| profile).filter(|_| options.profile);
    let colour = !options.json && in_colour(options.color);
    let mut compared = None;
    // What is shown and written is the device's, where there is one.
    let mut left = finished.buffers;
    if let Some(device) = &device {
        let (found, buffers) = device::run(device, options.repeat.unwrap_or(0), &prepared, &chosen, &left)?;
        if let Some(path) = &options.diff {
            let write = std::fs::write(path, device::csv(&found));
            write.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        compared = Some(found);
        left = buffers;
    }
    write_files(options, plan, &left)?;
    let text = if options.json {
        let mut value = serde_json::to_value(&finished.report).map_err(|error| error.to_string())?;
        if let (Some(compared), Some(object)) = (&compared, value.as_object_mut()) {
            object.insert("device".to_owned(), serde_json::to_value(compared).map_err(|e| e.to_string())?);
        }
        if let (Some(profile), Some(object)) = (&profile, value.as_object_mut()) {
            object.insert("profile".to_owned(), serde_json::to_value(profile).map_err(|e| e.to_string())?);
        }
        serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n"
    } else {
        let mut text = text::report(&finished.report, &prepared, colour);
        if let Some(profile) = &profile {
            text += &profile::text(profile, colour);
        }
        for (number, buffer) in plan.buffers.iter().enumerate() {
            let shown = options.show.contains(&buffer.name);
            if let (true, Some(bytes)) = (shown, left.get(number)) {
                text += &table::of_buffer(buffer, bytes, colour);
            }
        }
        if let Some(compared) = &compared {
            text += &device::text(compared);
        }
        text
    };
    let printed = print(&text);
    let agrees = compared.is_none_or(|compared| compared.met);
    Ok(if printed == ExitCode::SUCCESS && !(finished.report.met && agrees) {
        ExitCode::FAILURE
    } else {
        printed
    })
}

/// What a command line asks to run.
pub struct SetUp {
    pub prepared: Prepared,
    /// How it is run.
    pub modes: Modes,
    /// The shader.
    pub path: String,
}

/// The same for the debugger.
///
/// # Errors
/// Why there is nothing to debug, with places.
pub fn set_up_for_debugging(options: &RunOptions) -> Result<SetUp, String> {
    let named = named(options)?;
    let (device, profile) = device::split(options.shader.device.as_deref());
    if device.is_some() {
        return Err("shaders are debugged on the simulator: name a device profile, not `vulkan`".to_owned());
    }
    set_up(options, profile, named, true).map_err(|failure| describe(failure).trim_end().to_owned())
}

fn set_up(
    options: &RunOptions,
    profile: Option<String>,
    (path, recipe): (String, Option<String>),
    debug: bool,
) -> Result<SetUp, prepare::Failure> {
    let wanted = Wanted {
        path,
        recipe,
        spirv: options.spirv.clone(),
        shader: crate::arguments::ShaderOptions { device: profile, ..options.shader.clone() },
        set: options.set.clone(),
        limits: options.limits,
        at_once: pool::count(options.threads),
        init: options.init,
        create_recipe: options.create_recipe,
        debug,
        most_judged: None,
        color: options.color,
    };
    let mut prepared = prepare(&wanted)?;
    let mut modes = modes::first(&prepared.recipe, prepared.plan.subgroup_size);
    let is_profiled = options.profile || options.profile_file.is_some();
    if let Some(own) = profile::ownership(&prepared).filter(|_| is_profiled) {
        modes.ownership = own;
    }
    lay_over(&mut modes, &options.modes);
    modes.headroom |= options.headroom;
    if let Some(checked) = options.checked {
        modes.checked = true;
        modes.strict |= checked == Checked::Strict;
    }
    add_ownership(&mut prepared.plan, &options.modes)?;
    // A wrong name is told before anything runs.
    prepared.plan.settings(&modes)?;
    Ok(SetUp { prepared, modes, path: wanted.path })
}

fn named(options: &RunOptions) -> Result<(String, Option<String>), String> {
    recipe_and_shader(options.path.as_deref(), options.recipe.as_deref(), &options.shader)
}

/// The shader, and the recipe where one is named: a recipe alone has its shader.
///
/// # Errors
/// That two recipes are named, none, or one without a shader.
pub fn recipe_and_shader(
    path: Option<&str>,
    recipe: Option<&Path>,
    options: &crate::arguments::ShaderOptions,
) -> Result<(String, Option<String>), String> {
    let path = path.map(crate::paths::slashes);
    let recipe = recipe.map(|path| crate::paths::slashes(&path.to_string_lossy()));
    match (path, recipe) {
        (Some(path), Some(_)) if is_recipe(&path) => {
            Err(format!("{path}: expected a shader, as --recipe already names a recipe"))
        }
        (Some(path), recipe) if !is_recipe(&path) => Ok((path, recipe)),
        (Some(recipe), _) | (None, Some(recipe)) => Ok((shader_of(&recipe, options)?, Some(recipe))),
        (None, None) => Err("expected a shader to run".to_owned()),
    }
}

/// Whether a path names a recipe. Its name may end otherwise than with `.run.toml`, as `--recipe` takes any; no shader is TOML.
fn is_recipe(path: &str) -> bool {
    path.ends_with(".toml")
}

/// Why there is nothing to run, for a report.
pub fn describe(failure: prepare::Failure) -> String {
    match failure {
        prepare::Failure::Told => "the shader does not compile: see the errors above\n".to_owned(),
        prepare::Failure::Unusable(message) | prepare::Failure::Text(message) => message + "\n",
    }
}

/// The report for people, without colour.
pub fn report_text(report: &coopmat_recipe::Report, prepared: &Prepared) -> String {
    text::report(report, prepared, false)
}

/// What the command line says about modes.
pub fn lay_over(modes: &mut Modes, ModeOptions { ownership, numerics, decode }: &ModeOptions) {
    let given =
        [(numerics, &mut modes.numerics), (ownership, &mut modes.ownership), (decode, &mut modes.decode)];
    for (given, mode) in given {
        if let Some(name) = given {
            mode.clone_from(name);
        }
    }
}

/// Reads the ownership that the command line names, where it is a table that was captured on a device. Recipes cannot name a file for that.
///
/// # Errors
/// What is wrong with the file.
pub fn add_ownership(plan: &mut Plan, options: &ModeOptions) -> Result<(), String> {
    if let Some(path) = options.ownership.as_ref().filter(|name| name.ends_with(".json")) {
        let text = crate::disk::read(Path::new(path)).map_err(|error| format!("{path}: {error}"))?;
        plan.add_ownership(path, &text).map_err(|message| format!("{path}: {message}"))?;
    }
    Ok(())
}

/// Dumps and heat maps.
fn write_files(options: &RunOptions, plan: &Plan, buffers: &[Vec<u8>]) -> Result<(), String> {
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    let find = |name: &str| {
        let found = plan.buffers.iter().zip(buffers).find(|(buffer, _)| buffer.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = plan.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
            format!("there is no buffer `{name}`; expected one of {}", known.join(", "))
        })
    };
    if buffers.is_empty() {
        return Ok(());
    }
    for name in &options.show {
        find(name)?;
    }
    for (name, path) in &options.dump {
        let (buffer, bytes) = find(name)?;
        let path = Path::new(path);
        let is_npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
        match (is_npy, buffer.elements(bytes)) {
            (true, Some(tensor)) => {
                let component = buffer.component().unwrap_or(coopmat_recipe::component::Component::F32);
                write(path, &npy::write(&tensor, component))?;
            }
            (true, None) => {
                return Err(format!(
                    "`{name}` has no elements to write as .npy: use another extension to write its bytes"
                ));
            }
            (false, _) => write(path, bytes)?,
        }
    }
    if let Some(path) = &options.png {
        let expected = plan.expectations.iter().filter_map(|one| plan.buffers.get(one.buffer));
        let mut names: Vec<&str> = match options.show.is_empty() {
            false => options.show.iter().map(String::as_str).collect(),
            true => expected.map(|buffer| buffer.name.as_str()).collect(),
        };
        names.dedup();
        if names.is_empty() {
            return Err(
                "--png draws the buffers with an expectation, and there are none: name buffers with --show"
                    .to_owned(),
            );
        }
        for name in &names {
            let (buffer, bytes) = find(name)?;
            let Some(tensor) = buffer.elements(bytes) else {
                return Err(format!("`{name}` has no elements to show"));
            };
            let path = if names.len() == 1 { path.clone() } else { heat::numbered(path, name) };
            write(&path, &heat::png(&tensor)?)?;
        }
    }
    Ok(())
}
