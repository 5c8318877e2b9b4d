/** Bytes with a `DataView` of them. The `DataView` reads numbers without a call out of JavaScript. */
export type ViewedBytes = Readonly<{ bytes: Buffer; view: DataView }>

export const viewed = (bytes: Buffer): ViewedBytes => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
})
