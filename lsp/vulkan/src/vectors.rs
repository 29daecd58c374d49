//! VK_NV_cooperative_vector, which ash does not have yet: the products that a device has, and matrices that its driver converts between layouts.

use std::ffi::c_void;

use ash::vk;
use coopmat_analysis::devices::{Interpretation, VectorProperties, component_of_vulkan};

use crate::Error;
use crate::job::{Job, Matrix, MatrixForm};
use crate::profile::Asked;
use crate::requirements::Enabled;
use crate::resources::called;

/// `VkCooperativeVectorPropertiesNV`
const PROPERTIES: i32 = 1_000_491_002;
/// `VkConvertCooperativeVectorMatrixInfoNV`
const CONVERT: i32 = 1_000_491_004;

/// `VkCooperativeVectorPropertiesNV`
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    kind: vk::StructureType,
    next: *mut c_void,
    input: u32,
    input_interpretation: u32,
    matrix_interpretation: u32,
    bias_interpretation: u32,
    result: u32,
    transpose: vk::Bool32,
}

/// `vkGetPhysicalDeviceCooperativeVectorPropertiesNV`
type GetRows = unsafe extern "system" fn(vk::PhysicalDevice, *mut u32, *mut Row) -> vk::Result;

impl Asked<'_> {
    /// The products that a device has; what GLSL cannot write is left out.
    pub fn vector_rows(&self, device: vk::PhysicalDevice) -> Option<Vec<VectorProperties>> {
        let name = c"vkGetPhysicalDeviceCooperativeVectorPropertiesNV";
        // SAFETY: the instance is alive and the name ends with a zero.
        let function = unsafe { self.entry.get_instance_proc_addr(self.instance.handle(), name.as_ptr()) }?;
        // SAFETY: Vulkan declares the function of this name with this type.
        let function = unsafe { std::mem::transmute::<unsafe extern "system" fn(), GetRows>(function) };
        let mut count = 0;
        // SAFETY: without an array the function writes the number of rows alone.
        let result = unsafe { function(device, &mut count, std::ptr::null_mut()) };
        if result != vk::Result::SUCCESS {
            return None;
        }
        let empty = Row {
            kind: vk::StructureType::from_raw(PROPERTIES),
            next: std::ptr::null_mut(),
            input: 0,
            input_interpretation: 0,
            matrix_interpretation: 0,
            bias_interpretation: 0,
            result: 0,
            transpose: 0,
        };
        let mut rows = vec![empty; count as usize];
        // SAFETY: the array has `count` structures whose headers are filled in.
        let result = unsafe { function(device, &mut count, rows.as_mut_ptr()) };
        if result != vk::Result::SUCCESS && result != vk::Result::INCOMPLETE {
            return None;
        }
        rows.truncate(count as usize);
        let rows = rows.iter().filter_map(|row| {
            Some(VectorProperties {
                input_type: component_of_vulkan(row.input)?,
                input_interpretation: Interpretation::of_vulkan(row.input_interpretation)?,
                matrix_interpretation: Interpretation::of_vulkan(row.matrix_interpretation)?,
                bias_interpretation: Interpretation::of_vulkan(row.bias_interpretation)?,
                result_type: component_of_vulkan(row.result)?,
                transpose: row.transpose != 0,
            })
        });
        Some(rows.collect())
    }
}

/// `VkConvertCooperativeVectorMatrixInfoNV`. Both unions of addresses are as large as the address of a device.
#[repr(C)]
struct Convert {
    kind: vk::StructureType,
    next: *const c_void,
    source_size: usize,
    source: vk::DeviceOrHostAddressConstKHR,
    size: *mut usize,
    target: vk::DeviceOrHostAddressKHR,
    source_component: u32,
    target_component: u32,
    rows: u32,
    columns: u32,
    source_layout: u32,
    source_stride: usize,
    target_layout: u32,
    target_stride: usize,
}

/// `vkConvertCooperativeVectorMatrixNV`
type ConvertMatrix = unsafe extern "system" fn(vk::Device, *const Convert) -> vk::Result;

/// The driver's function, of a device that was made with the extension.
pub(crate) struct Converter {
    device: vk::Device,
    function: ConvertMatrix,
}

impl Converter {
    /// What a job's matrices need.
    ///
    /// # Errors
    /// That the module does not use cooperative vectors, or that the driver does not have the function.
    pub fn of_job(
        job: &Job,
        instance: &ash::Instance,
        enabled: &Enabled,
        device: &ash::Device,
    ) -> Result<Option<Converter>, Error> {
        if job.matrices.is_empty() {
            return Ok(None);
        }
        if !enabled.has("cooperativeVector") {
            return Err(Error::Job(
                "the recipe has matrices of cooperative vectors, but the module does not use these"
                    .to_owned(),
            ));
        }
        Converter::new(instance, device.handle()).map(Some)
    }

    fn new(instance: &ash::Instance, device: vk::Device) -> Result<Converter, Error> {
        let name = c"vkConvertCooperativeVectorMatrixNV";
        // SAFETY: the device was made from the instance, and the name ends with a zero.
        let function = unsafe { (instance.fp_v1_0().get_device_proc_addr)(device, name.as_ptr()) };
        let function = function
            .ok_or(Error::Driver { call: CONVERT_CALL, result: "there is no such function".to_owned() })?;
        // SAFETY: Vulkan declares the function of this name with this type.
        let function = unsafe { std::mem::transmute::<unsafe extern "system" fn(), ConvertMatrix>(function) };
        Ok(Converter { device, function })
    }

    /// Bytes that a matrix takes in a form.
    fn size(&self, size: [u32; 2], from: &MatrixForm, to: &MatrixForm) -> Result<usize, Error> {
        let mut bytes = 0;
        let info = description(size, [from, to], &mut bytes);
        // SAFETY: without a source and a destination the function writes the destination's size alone.
        called(CONVERT_CALL, unsafe { (self.function)(self.device, &raw const info) }.result())?;
        Ok(bytes)
    }

    /// The same matrix in another form, of which `out` has the size.
    fn convert(
        &self,
        bytes: &[u8],
        size: [u32; 2],
        [from, to]: [&MatrixForm; 2],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let mut room = out.len();
        let mut info = description(size, [from, to], &mut room);
        info.source_size = bytes.len();
        info.source.host_address = bytes.as_ptr().cast();
        info.target.host_address = out.as_mut_ptr().cast();
        // SAFETY: the source has `source_size` bytes, the destination `room`; both live until the call returns.
        called(CONVERT_CALL, unsafe { (self.function)(self.device, &raw const info) }.result())
    }
}

const CONVERT_CALL: &str = "vkConvertCooperativeVectorMatrixNV";

/// A conversion without addresses.
fn description([rows, columns]: [u32; 2], [from, to]: [&MatrixForm; 2], size: &mut usize) -> Convert {
    Convert {
        kind: vk::StructureType::from_raw(CONVERT),
        next: std::ptr::null(),
        source_size: 0,
        source: vk::DeviceOrHostAddressConstKHR { host_address: std::ptr::null() },
        size: std::ptr::from_mut(size),
        target: vk::DeviceOrHostAddressKHR { host_address: std::ptr::null_mut() },
        source_component: from.component,
        target_component: to.component,
        rows,
        columns,
        source_layout: from.layout as u32,
        source_stride: from.stride,
        target_layout: to.layout as u32,
        target_stride: to.stride,
    }
}

/// The buffers of a job before the dispatch, with its matrices in the device's form.
///
/// # Errors
/// That a matrix takes more room than the buffer has for it, and what the driver says.
pub(crate) fn buffers_with_matrices(job: &Job, converter: Option<&Converter>) -> Result<Vec<Vec<u8>>, Error> {
    let mut contents: Vec<_> = job.buffers.iter().map(|buffer| buffer.bytes.clone()).collect();
    let Some(converter) = converter else { return Ok(contents) };
    for matrix in &job.matrices {
        let Some(buffer) = contents.get_mut(matrix.buffer) else {
            return Err(Error::Job("a matrix lies in a buffer that there is not".to_owned()));
        };
        let size = converter.size(matrix.size, &matrix.host, &matrix.device)?;
        match matrix.room {
            None => buffer.resize(buffer.len().max(matrix.offset + size), 0),
            Some(room) if size <= room && matrix.offset + size <= buffer.len() => {}
            Some(room) => {
                let name = job.buffers.get(matrix.buffer).map_or("", |buffer| buffer.name.as_str());
                return Err(Error::Job(format!(
                    "the matrix at byte {} of `{name}` takes {size} bytes in the layout of this device, but the next one follows after {room}: give each a buffer of its own",
                    matrix.offset
                )));
            }
        }
        let room = buffer.get_mut(matrix.offset..matrix.offset + size);
        if let (Some(bytes), Some(room)) = (&matrix.bytes, room) {
            converter.convert(bytes, matrix.size, [&matrix.host, &matrix.device], room)?;
        }
    }
    Ok(contents)
}

/// The matrices of a job after the dispatch, in the host's form.
///
/// # Errors
/// What the driver says.
pub(crate) fn matrices_of_buffers(
    job: &Job,
    converter: Option<&Converter>,
    contents: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, Error> {
    let Some(converter) = converter else { return Ok(Vec::new()) };
    let convert = |matrix: &Matrix| {
        let size = converter.size(matrix.size, &matrix.host, &matrix.device)?;
        let bytes =
            contents.get(matrix.buffer).and_then(|bytes| bytes.get(matrix.offset..matrix.offset + size));
        let forms = [&matrix.device, &matrix.host];
        let mut out = vec![0; converter.size(matrix.size, forms[0], forms[1])?];
        converter.convert(bytes.unwrap_or_default(), matrix.size, forms, &mut out)?;
        Ok(out)
    };
    job.matrices.iter().map(convert).collect()
}

/// Buffers as long as the job gave them.
pub(crate) fn without_growth(job: &Job, mut contents: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    for (bytes, given) in contents.iter_mut().zip(&job.buffers) {
        bytes.truncate(given.bytes.len());
    }
    contents
}
