/** The only reader of the environment. `docs/configuration.md` lists every variable with its default and unit. */
import { z } from 'zod'
import { reorgBlocksMaxDefault } from '../schemas/stage.ts'
import { hexOfBase58 } from './base58.ts'
import { OperationError } from './errors.ts'

const undecodable = 'has a % that begins no code: a % itself is written %25'
const url = (protocols: RegExp) => z.url({ protocol: protocols, abort: true }).refine(isDecodable, undecodable)
/** Over HTTP, or a WebSocket. */
const nodeUrl = z
  .string()
  .refine((text) => /^(?:https?|wss?):\/\//i.test(text) && URL.canParse(text), {
    error: 'must be URLs that begin with http://, https://, ws:// or wss://, comma-separated',
    abort: true,
  })
  .refine(isDecodable, undecodable)
const whole = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most))
/** `true` or `false`, nothing else: what is meant to protect must not be switched off by a typing mistake. */
const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
const commaSeparated = z.string().transform((text) => text.split(',').map((part) => part.trim()))
const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) => commaSeparated.pipe(z.array(item).min(1))
const solanaAddress = z.string().refine((text) => hexOfBase58(text, 32) !== null, 'must be an address in base58')
/** `@name` of a public chat, or the number of any. */
const chatChannel = z
  .string()
  .regex(/^(?:@[A-Za-z][A-Za-z0-9_]{3,31}|-?\d{5,16})$/, 'must be names such as @name, or ids, comma-separated')
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')

/** No program would send them: a request to an address with credentials in it is refused before it is made. */
const hasNoCredentials = (text: string): boolean => {
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** `chain-a:a11@2026-12-01T00:00:00Z`. */
const announcedRules = z.string().transform((text, issues) => {
  const [, stage, version, from] = /^(chain-a|chain-b|chats):([a-z]\d{1,6})@(\S+)$/.exec(text) ?? []
  const fromMs = z.iso.datetime({ offset: true }).safeParse(from).success ? Date.parse(String(from)) : Number.NaN
  if (stage !== undefined && version !== undefined && fromMs >= 0) return { stage, version, fromMs }
  issues.addIssue({
    code: 'custom',
    message: 'must be such as chain-a:a11@2026-12-01T00:00:00Z, several of them comma-separated',
  })
  return z.NEVER
})

export type HeaderField = Readonly<{ name: string; value: string }>

/** `Bearer <token>`, or another header with its value; empty: none. */
const authHeader = z.string().transform((text, issues): HeaderField | null => {
  if (text === '') return null
  const [, name, value] = /^([A-Za-z0-9-]+):\s*([\x21-\x7e]+(?: [\x21-\x7e]+)*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { name, value }
  if (/^Bearer [\x21-\x7e]{8,}$/.test(text)) return { name: 'Authorization', value: text }
  issues.addIssue({ code: 'custom', message: 'must be Bearer and a token, or a header as Name: value' })
  return z.NEVER
})

/** An IPv6 address stands in brackets. */
const broker = z.string().refine((text) => {
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^\s:/@,[\]]+):(\d{1,5})$/.exec(text)?.[1]
  return port !== undefined && Number(port) <= 65_535
}, 'must be host:port, several of them comma-separated')

/** What the launchpad's object stands beside. */
const rugCheckFields = new Set([
  'chain',
  'schemaVersion',
  'generatedAt',
  'ageSec',
  'token',
  'class',
  'pools',
  'poolsLeftOut',
  'note',
])

const variables = z
  .object({
    PORT: whole(0, 65535).default(8402),
    HOST: z.string().min(1).default('127.0.0.1'),
    DATA_DIR: z.string().min(1).default('data'),
    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
    KAFKA_BROKERS: listOf(broker).optional(),
    KAFKA_TOPIC_PREFIX: z
      .string()
      .regex(/^[a-zA-Z0-9._-]{1,60}$/, 'must be letters, digits, dots, - and _')
      .optional(),
    KAFKA_REPLICATION_FACTOR: whole(1, 10).optional(),
    KAFKA_SESSION_MS: whole(6_000, 300_000).default(45_000),
    KAFKA_SSL: flag.optional(),
    KAFKA_SSL_CA_FILE: z.string().min(1).optional(),
    KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    KAFKA_SASL_USERNAME: z.string().min(1).optional(),
    KAFKA_SASL_PASSWORD: z.string().min(1).optional(),
    SCHEMA_REGISTRY_URL: url(/^https?$/).optional(),
    CLICKHOUSE_URL: url(/^https?$/).optional(),
    CHAIN_A_RPC_URL: listOf(nodeUrl).optional(),
    CHAIN_A_PRESET: z.enum(['robinhood', 'base', 'unichain', 'arbitrum', 'ethereum', 'local']).default('robinhood'),
    CHAIN_A_CONTRACTS: z.string().optional(),
    CHAIN_A_LAG_BLOCKS: whole(0, 10_000).optional(),
    CHAIN_A_REORG_BLOCKS_MAX: whole(1, 100_000).default(reorgBlocksMaxDefault),
    CHAIN_A_LOG_RANGE_MAX: whole(1, 100_000).default(10_000),
    STAGE_THREADS: whole(1, 4).default(2),
    CHAIN_A_NAME: z.string().min(1).default('chainA'),
    CHAIN_A_LAUNCHPAD_KEY: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9]*$/, 'must be letters and digits')
      .refine((key) => !rugCheckFields.has(key), 'is a field of the rug check already')
      .default('launchCurve'),
    HELIUS_API_KEY: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{8,}$/, 'must be letters, digits, - and _, at least 8')
      .optional(),
    CHAIN_B_RPC_URL: url(/^https?$/).optional(),
    CHAIN_B_WS_URL: url(/^wss?$/).optional(),
    CHAIN_B_LOOK_BACK_MIN: whole(0, 1440).default(10),
    CHAIN_B_SOL_USD_FEED: solanaAddress.default('7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE'),
    CHAIN_B_RUGCHECK_URL: url(/^https?$/).optional(),
    CHAIN_B_NAME: z.string().min(1).default('chainB'),
    CHAT_CHANNELS: listOf(chatChannel).optional(),
    CHAT_API_ID: whole(1, 2 ** 31 - 1).optional(),
    CHAT_API_HASH: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits in lower case')
      .optional(),
    CHAT_PREVIEW_URL: url(/^https?$/)
      .transform((base) => base.replace(/\/+$/, ''))
      .default('https://t.me'),
    PRICE_AGGREGATOR_URL: url(/^https?$/).optional(),
    SIMULATOR_SEED: whole(0, 2 ** 31).default(1),
    SIMULATOR_LOOK_BACK_HOURS: whole(1, 48).default(6),
    X402_FACILITATOR_URL: commaSeparated
      .pipe(
        z
          .array(url(/^https?$/).refine(hasNoCredentials, 'holds credentials: they belong into X402_FACILITATOR_AUTH'))
          .min(1),
      )
      .optional(),
    X402_FACILITATOR_AUTH: commaSeparated.pipe(z.array(authHeader)).optional(),
    X402_PAY_TO_EVM: evmAddress.optional(),
    X402_EVM_RPC_URL: url(/^https?$/).optional(),
    X402_PAY_TO_SVM: solanaAddress.optional(),
    X402_SVM_RPC_URL: url(/^https?$/).optional(),
    PAY_PRIVATE_KEY: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
      .optional(),
    PAY_PRIVATE_KEY_SVM: z
      .string()
      .refine((text) => hexOfBase58(text, 64) !== null, 'must be the 64 bytes of a key pair in base58')
      .optional(),
    // Paths are put behind it.
    PUBLIC_BASE_URL: url(/^https?$/)
      .transform((base) => base.replace(/\/+$/, ''))
      .optional(),
    MCP_ALLOWED_HOSTS: listOf(
      z.string().regex(/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/, 'must be names in lower case without ports'),
    ).optional(),
    MCP_ALLOWED_ORIGINS: listOf(
      z
        .string()
        .regex(/^https?:\/\/[^\s/]+$/, 'must be https://host or https://host:port, several of them comma-separated'),
    ).optional(),
    RULES_ANNOUNCED: listOf(announcedRules).optional(),
    VIEW_REFRESH_MS: whole(100, 20_000).default(2000),
    RULE_ID_SECRET: z.string().min(16).optional(),
    CALLER_ID_SECRET: z.string().min(16).optional(),
    STREAM_ENABLED: flag.default(true),
    STREAM_PASS_SECRET: z.string().min(16).optional(),
    TRUSTED_PROXY_COUNT: whole(0, 10).default(0),
  })
  .superRefine((config, issues) => {
    for (const { given, needed } of together)
      if (config[given] !== undefined)
        for (const name of needed)
          if (config[name] === undefined)
            issues.addIssue({ code: 'custom', path: [name], message: `required with ${given}` })
    // A key for one endpoint is worth nothing at another, and both belong to one network.
    if (config.HELIUS_API_KEY !== undefined && config.CHAIN_B_RPC_URL !== undefined && !config.CHAIN_B_WS_URL)
      issues.addIssue({
        code: 'custom',
        path: ['CHAIN_B_WS_URL'],
        message: 'required with HELIUS_API_KEY and CHAIN_B_RPC_URL',
      })
    const { X402_FACILITATOR_URL: facilitators, X402_FACILITATOR_AUTH: auth } = config
    if (facilitators !== undefined && auth !== undefined && auth.length !== facilitators.length)
      issues.addIssue({
        code: 'custom',
        path: ['X402_FACILITATOR_AUTH'],
        message: 'needs a part for each URL of X402_FACILITATOR_URL, separated by commas; an empty one for none',
      })
    // The snapshot has an object under each.
    if (config.CHAIN_B_NAME === config.CHAIN_A_NAME)
      issues.addIssue({ code: 'custom', path: ['CHAIN_B_NAME'], message: 'must differ from CHAIN_A_NAME' })
  })
  // What real people say of real tokens has no price on a simulated chain.
  .refine((config) => config.CHAT_CHANNELS === undefined || !isSimulated(config), {
    path: ['CHAT_CHANNELS'],
    error: 'needs a chain with a node: CHAIN_A_RPC_URL, HELIUS_API_KEY or CHAIN_B_RPC_URL',
  })

type Variable = keyof z.infer<typeof variables>

export const variableNames = Object.keys(variables.shape)

/** Half of a setting is a mistake: one that takes money without saying where it goes, or believes it is encrypted. */
const together: readonly Readonly<{ given: Variable; needed: readonly Variable[] }>[] = [
  { given: 'X402_FACILITATOR_URL', needed: ['X402_PAY_TO_EVM', 'X402_EVM_RPC_URL'] },
  { given: 'X402_PAY_TO_SVM', needed: ['X402_SVM_RPC_URL', 'X402_FACILITATOR_URL'] },
  { given: 'X402_FACILITATOR_AUTH', needed: ['X402_FACILITATOR_URL'] },
  { given: 'CHAIN_B_WS_URL', needed: ['HELIUS_API_KEY', 'CHAIN_B_RPC_URL'] },
  { given: 'CHAT_API_ID', needed: ['CHAT_API_HASH'] },
  { given: 'CHAT_API_HASH', needed: ['CHAT_API_ID'] },
  { given: 'KAFKA_BROKERS', needed: ['SCHEMA_REGISTRY_URL'] },
  { given: 'SCHEMA_REGISTRY_URL', needed: ['KAFKA_BROKERS'] },
  { given: 'KAFKA_SSL_CA_FILE', needed: ['KAFKA_SSL'] },
  { given: 'KAFKA_SASL_MECHANISM', needed: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] },
  { given: 'KAFKA_SASL_USERNAME', needed: ['KAFKA_SASL_MECHANISM'] },
  { given: 'KAFKA_SASL_PASSWORD', needed: ['KAFKA_SASL_MECHANISM'] },
]

export type Config = Readonly<z.infer<typeof variables>>

export type ChainName = 'chain-a' | 'chain-b' | 'chats'

/** Written out: the type of the variables cannot refer to itself. */
type Sources = Readonly<{
  CHAIN_A_RPC_URL?: readonly string[] | undefined
  HELIUS_API_KEY?: string | undefined
  CHAIN_B_RPC_URL?: string | undefined
}>

/** The names of the stages whose chain has a node. */
const chainsWithNode = ({ CHAIN_A_RPC_URL, HELIUS_API_KEY, CHAIN_B_RPC_URL }: Sources): readonly ChainName[] => [
  ...(CHAIN_A_RPC_URL === undefined ? [] : (['chain-a'] as const)),
  ...(HELIUS_API_KEY === undefined && CHAIN_B_RPC_URL === undefined ? [] : (['chain-b'] as const)),
]

/** No chain has a node: simulated markets of all chains, and simulated chats about them, feed the service. */
export const isSimulated = (config: Sources): boolean => chainsWithNode(config).length === 0

/** The chains of the service, in the order of answers. Each program runs these and no other: a chain without facts has no cuts. */
export const chainNames = (config: Config): readonly ChainName[] => {
  if (isSimulated(config)) return ['chain-a', 'chain-b', 'chats']
  return [...chainsWithNode(config), ...(config.CHAT_CHANNELS === undefined ? [] : (['chats'] as const))]
}

/** What takes the address apart later decodes each part: a password with a bare % would fail there, and name nothing. */
function isDecodable(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text)
    return [username, password, pathname].map(decodeURIComponent).length > 0
  } catch {
    return false
  }
}

/** Fails with `config_invalid`, naming every wrong variable and what it must be. Never repeats a value: it may be a secret. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(present)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`)
  throw new OperationError('config_invalid', `the configuration is wrong. ${wrong.join('; ')}`)
}
