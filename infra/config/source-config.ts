/** What a source reads of the environment. The sources are listed in `sources.ts`. */
import type { z } from 'zod'

type Variables = Readonly<Record<string, z.ZodType>>
/** As the environment was read. */
export type Read<Of extends Variables> = Readonly<z.infer<z.ZodObject<Of>>>

/** One is worth nothing without the others. */
export type Together = Readonly<{ given: string; needed: readonly string[] }>

export type SourceConfig<Of extends Variables = Variables> = Readonly<{
  variables: Of
  together: readonly Together[]
  /** A market has a node; a service without any shows simulated ones. */
  isMarket: boolean
  /** Whether facts of it come from outside. */
  isConfigured(config: Read<Of>): boolean
  /** What else is wrong with its variables: what it needs. Null: nothing. */
  faultIn?(config: Read<Of>): Readonly<{ variable: keyof Of & string; message: string }> | null
}>

/** For the types: those of the variables come from the variables. */
export const sourceConfig = <const Of extends Variables>(config: SourceConfig<Of>): SourceConfig<Of> => config
