/** The only reader of the environment. Every variable is named in the README with its default and unit. */
import { z } from 'zod'
import { OperationError } from './errors.ts'

const url = (protocols: RegExp) => z.url({ protocol: protocols })
const whole = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')

const variables = z
  .object({
    PORT: whole(0, 65535).default(8402),
    HOST: z.string().min(1).default('127.0.0.1'),
    DATA_DIR: z.string().min(1).default('data'),
    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    CLICKHOUSE_URL: url(/^https?$/).optional(),
    CHAIN_A_RPC_URL: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(url(/^https?$/)).min(1))
      .optional(),
    CHAIN_A_PRESET: z.enum(['robinhood', 'base', 'unichain', 'arbitrum', 'ethereum', 'local']).default('robinhood'),
    CHAIN_A_CONTRACTS: z.string().optional(),
    CHAIN_A_LAG_BLOCKS: whole(0, 10_000).default(3),
    CHAIN_A_REORG_BLOCKS_MAX: whole(1, 100_000).default(1200),
    CHAIN_A_LOG_RANGE_MAX: whole(1, 100_000).default(10_000),
    STAGE_THREADS: whole(1, 4).default(2),
    CHAIN_A_NAME: z.string().min(1).default('chainA'),
    SIMULATOR_SEED: whole(0, 2 ** 31).default(1),
    X402_FACILITATOR_URL: url(/^https?$/).optional(),
    X402_PAY_TO_EVM: evmAddress.optional(),
    X402_EVM_RPC_URL: url(/^https?$/).optional(),
    PAY_PRIVATE_KEY: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
      .optional(),
    PUBLIC_BASE_URL: url(/^https?$/).optional(),
    VIEW_REFRESH_MS: whole(100, 20_000).default(2000),
    RULE_ID_SECRET: z.string().min(16).optional(),
    TRUSTED_PROXY_COUNT: whole(0, 10).default(0),
  })
  .superRefine((config, issues) => {
    // Whoever takes money must say where it goes and where a lost settlement is looked up.
    if (config.X402_FACILITATOR_URL === undefined) return
    for (const name of ['X402_PAY_TO_EVM', 'X402_EVM_RPC_URL'] as const)
      if (config[name] === undefined)
        issues.addIssue({ code: 'custom', path: [name], message: 'required with X402_FACILITATOR_URL' })
  })

export type Config = Readonly<z.infer<typeof variables>>

/** Fails with `config_invalid`, naming every wrong variable and what it must be. Never repeats a value: it may be a secret. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(present)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`)
  throw new OperationError('config_invalid', `the configuration is wrong. ${wrong.join('; ')}`)
}
