/** The only code that reads the environment. `docs/configuration.md` lists every variable with its default and unit. */
import { z } from 'zod'
import { hexOfBase58 } from './base58.ts'
import type { Read, Together } from './config/source-config.ts'
import { namedSources, type SourceName, sourceVariables } from './config/sources.ts'
import { commaSeparated, flag, listOf, oneOf, secret, solanaAddress, url, whole } from './config/values.ts'
import { OperationError } from './errors.ts'

const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')

/** Whether the URL contains no user and no password. `fetch` refuses a URL with credentials. */
const hasNoCredentials = (text: string): boolean => {
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

const stageNames = namedSources.map(([name]) => name).join('|')
const announcement = new RegExp(`^(${stageNames}):([a-z]\\d{1,6})@(\\S+)$`)

/**
 * An announcement of new rules, such as `chain-a:a12@2026-12-01T00:00:00Z`. It names the stage (one chain),
 * the version of its new rules and the time from which they apply.
 */
const announcedRules = z.string().transform((text, issues) => {
  const [, stage, version, from] = announcement.exec(text) ?? []
  const fromMs = z.iso.datetime({ offset: true }).safeParse(from).success ? Date.parse(String(from)) : Number.NaN
  if (stage !== undefined && version !== undefined && fromMs >= 0) return { stage, version, fromMs }
  issues.addIssue({
    code: 'custom',
    message: 'must have the form chain-a:a12@2026-12-01T00:00:00Z. Several values are separated by commas',
  })
  return z.NEVER
})

export type HeaderField = Readonly<{ name: string; value: string }>

/**
 * A header for requests to a facilitator, the server that verifies and settles payments: `Bearer <token>`, or
 * `Name: value`. Null if the text is empty.
 */
const authHeader = z.string().transform((text, issues): HeaderField | null => {
  if (text === '') return null
  const [, name, value] = /^([A-Za-z0-9-]+):\s*([\x21-\x7e]+(?: [\x21-\x7e]+)*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { name, value }
  if (/^Bearer [\x21-\x7e]{8,}$/.test(text)) return { name: 'Authorization', value: text }
  issues.addIssue({ code: 'custom', message: 'must be "Bearer <token>" or a header "Name: value"' })
  return z.NEVER
})

/** The address of a Kafka broker as `host:port`. An IPv6 address is written in brackets. */
const broker = z.string().refine((text) => {
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^\s:/@,[\]]+):(\d{1,5})$/.exec(text)?.[1]
  return port !== undefined && Number(port) <= 65_535
}, 'must be host:port. Several values are separated by commas')

const variables = z
  .object({
    PORT: whole(0, 65535).default(8402),
    METRICS_PORT: whole(0, 65535).optional(),
    HOST: z.string().min(1).default('127.0.0.1'),
    DATA_DIR: z.string().min(1).default('data'),
    ARCHIVE_DIR: z.string().min(1).optional(),
    LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
    ...sourceVariables,
    KAFKA_BROKERS: listOf(broker).optional(),
    KAFKA_TOPIC_PREFIX: z
      .string()
      .regex(/^[a-zA-Z0-9._-]{1,60}$/, 'must be 1 to 60 letters, digits, dots, - or _')
      .optional(),
    KAFKA_REPLICATION_FACTOR: whole(1, 10).optional(),
    KAFKA_SESSION_MS: whole(6_000, 300_000).default(45_000),
    KAFKA_SSL: flag.optional(),
    KAFKA_SSL_CA_FILE: z.string().min(1).optional(),
    KAFKA_SASL_MECHANISM: oneOf(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    KAFKA_SASL_USERNAME: z.string().min(1).optional(),
    KAFKA_SASL_PASSWORD: z.string().min(1).optional(),
    SCHEMA_REGISTRY_URL: url(/^https?$/).optional(),
    CLICKHOUSE_URL: url(/^https?$/).optional(),
    STAGE_THREADS: whole(1, 4).default(2),
    PRICE_AGGREGATOR_URL: url(/^https?$/).optional(),
    SIMULATOR_SEED: whole(0, 2 ** 31).default(1),
    SIMULATOR_LOOK_BACK_HOURS: whole(1, 48).default(3),
    X402_FACILITATOR_URL: commaSeparated
      .pipe(
        z
          .array(
            url(/^https?$/).refine(
              hasNoCredentials,
              'must not contain credentials. Put them into X402_FACILITATOR_AUTH',
            ),
          )
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
    // Paths are appended to this URL, so a slash at its end is removed.
    PUBLIC_BASE_URL: url(/^https?$/)
      .transform((base) => base.replace(/\/+$/, ''))
      .optional(),
    MCP_ALLOWED_HOSTS: listOf(
      z.string().regex(/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/, 'must be host names in lower case without ports'),
    ).optional(),
    MCP_ALLOWED_ORIGINS: listOf(
      z
        .string()
        .regex(
          /^https?:\/\/[^\s/]+$/,
          'must be https://host or https://host:port. Several values are separated by commas',
        ),
    ).optional(),
    RULES_ANNOUNCED: listOf(announcedRules).optional(),
    VIEW_REFRESH_MS: whole(100, 20_000).default(500),
    RULE_ID_SECRET: secret.optional(),
    CALLER_ID_SECRET: secret.optional(),
    STREAM_ENABLED: flag.default(true),
    STREAM_PASS_SECRET: secret.optional(),
    TRUSTED_PROXY_COUNT: whole(0, 10).default(0),
  })
  .superRefine((config, issues) => {
    for (const { given, name } of missingIn(config))
      issues.addIssue({ code: 'custom', path: [name], message: `must be set, because ${given} is set` })
    for (const [, { faultIn }] of namedSources) {
      const fault = faultIn?.(config) ?? null
      if (fault) issues.addIssue({ code: 'custom', path: [fault.variable], message: fault.message })
    }
    const { X402_FACILITATOR_URL: facilitators, X402_FACILITATOR_AUTH: auth } = config
    if (facilitators !== undefined && auth !== undefined && auth.length !== facilitators.length)
      issues.addIssue({
        code: 'custom',
        path: ['X402_FACILITATOR_AUTH'],
        message:
          'must have one comma-separated part for each URL of X402_FACILITATOR_URL. Leave a part empty if its URL needs no login',
      })
    // In the answer of `/v1/snapshot`, the names of the two chains are keys of one object. Therefore the
    // names must differ.
    if (config.CHAIN_B_NAME === config.CHAIN_A_NAME)
      issues.addIssue({ code: 'custom', path: ['CHAIN_B_NAME'], message: 'must differ from CHAIN_A_NAME' })
  })
  // Chats of real people name real tokens, which have no price on a simulated chain.
  .refine((config) => config.CHAT_CHANNELS === undefined || !isSimulated(config), {
    path: ['CHAT_CHANNELS'],
    error: 'needs a chain with a node. Set CHAIN_A_RPC_URL, HELIUS_API_KEY or CHAIN_B_RPC_URL',
  })

export const variableNames = Object.keys(variables.shape)

/**
 * Groups of variables that must be set together. With an incomplete group, the service could accept payments
 * without an address that receives the money. The service could also send data unencrypted although its
 * operator expects encryption.
 */
const together: readonly Together[] = [
  ...namedSources.flatMap(([, source]) => source.together),
  { given: 'X402_FACILITATOR_URL', needed: ['X402_PAY_TO_EVM', 'X402_EVM_RPC_URL'] },
  { given: 'X402_PAY_TO_SVM', needed: ['X402_SVM_RPC_URL', 'X402_FACILITATOR_URL'] },
  { given: 'X402_FACILITATOR_AUTH', needed: ['X402_FACILITATOR_URL'] },
  { given: 'KAFKA_BROKERS', needed: ['SCHEMA_REGISTRY_URL'] },
  { given: 'SCHEMA_REGISTRY_URL', needed: ['KAFKA_BROKERS'] },
  { given: 'KAFKA_SSL_CA_FILE', needed: ['KAFKA_SSL'] },
  { given: 'KAFKA_SASL_MECHANISM', needed: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] },
  { given: 'KAFKA_SASL_USERNAME', needed: ['KAFKA_SASL_MECHANISM'] },
  { given: 'KAFKA_SASL_PASSWORD', needed: ['KAFKA_SASL_MECHANISM'] },
]

const missingIn = (values: Readonly<Record<string, unknown>>) =>
  together.flatMap(({ given, needed }) =>
    values[given] === undefined
      ? []
      : needed.filter((name) => values[name] === undefined).map((name) => ({ given, name })),
  )

export type Config = Readonly<z.infer<typeof variables>>

/**
 * The values of the source variables. The functions below cannot take a `Config`, because the type `Config`
 * would then refer to itself.
 */
type SourceVariables = Read<typeof sourceVariables>

export type { SourceName }

const configuredOf = (config: SourceVariables): readonly SourceName[] =>
  namedSources.filter(([, { isConfigured }]) => isConfigured(config)).map(([name]) => name)

const markets = new Set(namedSources.filter(([, { isMarket }]) => isMarket).map(([name]) => name))

/**
 * Whether no real chain has a configured node. Then the service gets its data from simulated chains, and from
 * simulated chats about their tokens.
 */
export const isSimulated = (config: SourceVariables): boolean => !configuredOf(config).some((name) => markets.has(name))

/**
 * The sources of the service, in the order in which answers list them. Each program runs exactly these
 * sources. An answer covers only the time up to which all listed sources have written ticks (records that
 * close a time step). So a source that does not run must not be listed.
 */
export const sourceNames = (config: Config): readonly SourceName[] =>
  isSimulated(config) ? namedSources.map(([name]) => name) : configuredOf(config)

/**
 * Fails with `config_invalid`. The error names each wrong variable and what its value must be. It never contains a
 * value, because a value may be a secret.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(present)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`)
  throw new OperationError('config_invalid', `the configuration is wrong. ${wrong.join('. ')}`)
}
