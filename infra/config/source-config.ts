/**
 * The variables that a source of data (a chain or the chats) reads from the environment, and the checks of
 * their values. `sources.ts` lists the sources.
 */
import type { z } from 'zod'

type Variables = Readonly<Record<string, z.ZodType>>
/** The values of the variables, after they were read from the environment. */
export type Read<Of extends Variables> = Readonly<z.infer<z.ZodObject<Of>>>

/** If the variable `given` is set, all variables of `needed` must be set too. */
export type Together = Readonly<{ given: string; needed: readonly string[] }>

export type SourceConfig<Of extends Variables = Variables> = Readonly<{
  variables: Of
  together: readonly Together[]
  /**
   * Whether the source is a market: a chain that the service reads from a node. If no market is configured,
   * the service simulates all markets.
   */
  isMarket: boolean
  /**
   * Whether the variables of the source are set, so that the service reads the real chain or the real chats.
   */
  isConfigured(config: Read<Of>): boolean
  /**
   * Returns a fault of the source's variables that `together` does not cover, or null. The fault has the name
   * of a variable and the text of the error.
   */
  faultIn?(config: Read<Of>): Readonly<{ variable: keyof Of & string; message: string }> | null
}>

/** Returns its argument. The call lets the compiler infer the types of the variables. */
export const sourceConfig = <const Of extends Variables>(config: SourceConfig<Of>): SourceConfig<Of> => config
