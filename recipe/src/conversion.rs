//! Matrices that an executor keeps in a layout of its own: what a host converts before the run and after it, as vkConvertCooperativeVectorMatrixNV does.
//!
//! A [`Plan`] holds them in the simulator's layouts, so that the simulator's runs need nothing of this. A device's run takes [`Plan::conversions`]: before it,
//! the driver converts the rows that [`Plan::rows`] gives into its layout, at `offset` of the buffer; after it, it converts them back, and
//! [`Plan::set_rows`] puts them where the simulator has them, so that judging, comparing and showing know of no layout but one.

use coopmat_simulator::CooperativeVectorMatrixLayout;

use crate::component::Component;
use crate::extent::Extent;
use crate::model::{ElementType, Layout};
use crate::plan::Plan;

/// A matrix that is converted for the run on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Its buffer, by its place in [`Plan::buffers`].
    pub buffer: usize,
    /// Its number among the matrices of the buffer.
    pub matrix: usize,
    /// The byte of the buffer where it begins, before the run and after it.
    pub offset: usize,
    /// Bytes up to the next matrix of the buffer, which the device's layout must not exceed. After the last one the buffer may be made longer.
    pub room: Option<usize>,
    /// Rows of the matrix.
    pub rows: u32,
    /// Columns of the matrix.
    pub columns: u32,
    /// The type of an element in the optimal layout.
    pub component: Component,
    /// The optimal layout.
    pub layout: CooperativeVectorMatrixLayout,
    /// The type of an element in rows, on the host: 32-bit floats for 8-bit ones, since a conversion may give those only in an optimal layout.
    pub host: Component,
    /// Bytes from one row of the host to the next.
    pub host_stride: usize,
    /// Whether it holds anything before the run; else it is only converted back.
    pub filled: bool,
}

impl Conversion {
    fn host_rows(&self) -> Option<Extent> {
        let shape = vec![self.rows as usize, self.columns as usize];
        Extent::new(ElementType::Component(self.host), shape, Layout::RowMajor, None, None, 0).ok()
    }
}

impl Plan {
    /// The matrices in optimal layouts, in the order of the buffers.
    pub fn conversions(&self) -> Vec<Conversion> {
        let mut conversions = Vec::new();
        for (index, buffer) in self.buffers.iter().enumerate() {
            let Some(extent) = &buffer.extent else { continue };
            let (Some(layout), Some(component)) = (extent.layout.optimal(), buffer.component()) else {
                continue;
            };
            let (rows, columns) = extent.rows_and_columns();
            let host = match component {
                Component::E4m3 | Component::E5m2 => Component::F32,
                other => other,
            };
            let count = extent.matrices();
            conversions.extend((0..count).map(|matrix| Conversion {
                buffer: index,
                matrix,
                offset: extent.matrix_start(matrix),
                room: (matrix + 1 < count).then(|| extent.matrix_stride * component.size()),
                rows: rows as u32,
                columns: columns as u32,
                component,
                layout,
                host,
                host_stride: columns * host.size(),
                filled: !buffer.uninitialised,
            }));
        }
        conversions
    }

    /// The rows of a matrix on the host, of what its buffer holds in the simulator: [`crate::PlannedBuffer::bytes`] before the run.
    pub fn rows(&self, conversion: &Conversion, bytes: &[u8]) -> Vec<u8> {
        let (Some(one), Some(host)) = (self.matrix(conversion), conversion.host_rows()) else {
            return Vec::new();
        };
        let mut rows = vec![0; host.bytes];
        host.write(&one.read(bytes), &mut rows);
        rows
    }

    /// Puts the rows of a matrix on the host where the simulator has its elements. The padding is as it was before the run.
    pub fn set_rows(&self, conversion: &Conversion, rows: &[u8], bytes: &mut [u8]) {
        let (Some(one), Some(host)) = (self.matrix(conversion), conversion.host_rows()) else { return };
        let before = self.buffers.get(conversion.buffer).map(|buffer| buffer.bytes.as_slice());
        let room = CooperativeVectorMatrixLayout::room(conversion.rows, conversion.columns) as usize;
        let places = conversion.offset..conversion.offset + room * conversion.component.size();
        let before = before.and_then(|before| before.get(places.clone()));
        if let (Some(to), Some(before)) = (bytes.get_mut(places), before) {
            to.copy_from_slice(before);
        }
        one.write(&host.read(rows), bytes);
    }

    fn matrix(&self, conversion: &Conversion) -> Option<Extent> {
        Some(self.buffers.get(conversion.buffer)?.extent.as_ref()?.one(conversion.matrix))
    }
}
