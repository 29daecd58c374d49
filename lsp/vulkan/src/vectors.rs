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
        let function = function.ok_or(Error::Driver {
            call: "vkConvertCooperativeVectorMatrixNV",
            result: "there is no such function".to_owned(),
        })?;
        // SAFETY: Vulkan declares the function of this name with this type.
        let function = unsafe { std::mem::transmute::<unsafe extern "system" fn(), ConvertMatrix>(function) };
        Ok(Converter { device, function })
    }

    /// The same matrix in another form.
    fn convert(
        &self,
        bytes: &[u8],
        [rows, columns]: [u32; 2],
        from: &MatrixForm,
        to: &MatrixForm,
    ) -> Result<Vec<u8>, Error> {
        let call = "vkConvertCooperativeVectorMatrixNV";
        let mut size = 0;
        let mut info = Convert {
            kind: vk::StructureType::from_raw(CONVERT),
            next: std::ptr::null(),
            source_size: bytes.len(),
            source: vk::DeviceOrHostAddressConstKHR { host_address: std::ptr::null() },
            size: &raw mut size,
            target: vk::DeviceOrHostAddressKHR { host_address: std::ptr::null_mut() },
            source_component: from.component,
            target_component: to.component,
            rows,
            columns,
            source_layout: from.layout as u32,
            source_stride: from.stride,
            target_layout: to.layout as u32,
            target_stride: to.stride,
        };
        // SAFETY: without a destination the function writes its size alone.
        called(call, unsafe { (self.function)(self.device, &raw const info) }.result())?;
        let mut out = vec![0; size];
        info.source.host_address = bytes.as_ptr().cast();
        info.target.host_address = out.as_mut_ptr().cast();
        // SAFETY: the source has `source_size` bytes, the destination as many as the function asked for.
        called(call, unsafe { (self.function)(self.device, &raw const info) }.result())?;
        out.truncate(size);
        Ok(out)
    }
}

/// The buffers of a job before the dispatch, with its matrices in the device's form.
///
/// # Errors
/// That a matrix takes more room than the buffer has for it, and what the driver says.
pub(crate) fn buffers_with_matrices(job: &Job, converter: Option<&Converter>) -> Result<Vec<Vec<u8>>, Error> {
    let mut contents: Vec<_> = job.buffers.iter().map(|buffer| buffer.bytes.clone()).collect();
    for matrix in &job.matrices {
        let Some(converter) = converter else { break };
        let converted = converter.convert(&matrix.bytes, matrix.size, &matrix.host, &matrix.device)?;
        let room = contents.get_mut(matrix.buffer).and_then(|bytes| bytes.get_mut(matrix.offset..));
        let room = room.map(|room| {
            let end = room.len().min(matrix.room);
            &mut room[..end]
        });
        match room {
            Some(room) if converted.len() <= room.len() => {
                room[..converted.len()].copy_from_slice(&converted)
            }
            room => {
                let name = job.buffers.get(matrix.buffer).map_or("a buffer", |buffer| &buffer.name);
                return Err(Error::Job(format!(
                    "the matrix at byte {} of `{name}` takes {} bytes in the layout of this device, but has room for {}",
                    matrix.offset,
                    converted.len(),
                    room.map_or(0, |room| room.len())
                )));
            }
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
        let bytes =
            contents.get(matrix.buffer).and_then(|bytes| bytes.get(matrix.offset..)).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(matrix.room)];
        converter.convert(bytes, matrix.size, &matrix.device, &matrix.host)
    };
    job.matrices.iter().map(convert).collect()
}
