// The matrix views, for whoever embeds them: the page's panes, editors' webviews. Import views.css beside them.

export { ConversionView } from "./conversion";
export { Difference } from "./difference";
export { drawable, Grid } from "./grid";
export { HeatMap } from "./heat-map";
export type * from "./model";
export { folded } from "./model";
export { MultiplyView } from "./multiply";
export { OwnershipView } from "./ownership";
export { type RecordedEvent, type Recording, readRecording } from "./recording";
export { TensorView } from "./tensor";
export { VectorsView } from "./vectors";
