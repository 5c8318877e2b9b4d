export type Deferred<Value = void> = Readonly<{
  promise: Promise<Value>
  resolve: (value: Value) => void
  reject: (error: Error) => void
}>

export function createDeferred<Value = void>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, 'promise'> = { resolve: () => {}, reject: () => {} }
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
}
