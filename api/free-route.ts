/** A free route as a value. What serves routes and describes them reads these fields and names no route. */
export type FreeRoute = Readonly<{
  /** The canonical one first; the others answer the same. */
  patterns: readonly [`/${string}`, ...`/${string}`[]]
  description: string
  /** The name of its tool over MCP. Without one there is no tool. */
  tool?: string
  /** Costs little and nothing that a caller can raise: it is asked without payment. */
  answer(): Promise<object>
}>
