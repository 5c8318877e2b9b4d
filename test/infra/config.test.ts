import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { isSimulated, readConfig, sourceNames, variableNames } from '../../infra/config.ts'
import { isOperationError } from '../../infra/errors.ts'

const failureOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    if (isOperationError(error, 'config_invalid')) return error.message
    throw error
  }
  return 'accepted'
}

describe('configuration', () => {
  it('knows a chain by its node, and simulates all chains only when none has one', () => {
    const namesOf = (environment: Record<string, string>) => sourceNames(readConfig(environment))
    expect(namesOf({})).to.deep.equal(['chain-a', 'chain-b', 'chats'])
    expect(namesOf({ CHAIN_A_RPC_URL: 'https://a.example' })).to.deep.equal(['chain-a'])
    expect(namesOf({ HELIUS_API_KEY: 'a-helius-key' })).to.deep.equal(['chain-b'])
    const both = { CHAIN_A_RPC_URL: 'https://a.example', CHAIN_B_RPC_URL: 'https://b.example' }
    expect(namesOf(both)).to.deep.equal(['chain-a', 'chain-b'])
    expect(namesOf({ ...both, CHAT_CHANNELS: '@calls' })).to.deep.equal(['chain-a', 'chain-b', 'chats'])
    expect(namesOf({ CHAIN_B_RPC_URL: 'https://b.example', CHAT_CHANNELS: '@calls' })).to.deep.equal([
      'chain-b',
      'chats',
    ])
    expect([isSimulated(readConfig({})), isSimulated(readConfig(both))]).to.deep.equal([true, false])
  })

  it('needs nothing', () => {
    expect(readConfig({})).to.include({ PORT: 8402, HOST: '127.0.0.1', DATA_DIR: 'data', VIEW_REFRESH_MS: 500 })
  })

  it('takes an empty variable for an absent one', () => {
    expect(readConfig({ PORT: '', CLICKHOUSE_URL: '' }))
      .to.include({ PORT: 8402 })
      .and.not.have.property('CLICKHOUSE_URL')
  })

  it('takes several nodes in order', () => {
    expect(readConfig({ CHAIN_A_RPC_URL: 'wss://a.example,http://b' }).CHAIN_A_RPC_URL).to.deep.equal([
      ...['wss://a.example', 'http://b'],
    ])
    expect(readConfig({ CHAIN_A_RPC_URL: 'https://a.example, https://b.example' }).CHAIN_A_RPC_URL).to.deep.equal([
      'https://a.example',
      'https://b.example',
    ])
  })

  it('takes several facilitators in order, each with what lets us in', () => {
    const config = readConfig({
      X402_FACILITATOR_URL: 'https://a.example, https://b.example/x402,http://127.0.0.1:9',
      X402_FACILITATOR_AUTH: 'Bearer s3cret-token==,X-API-Key: k:ey with space,',
      X402_PAY_TO_EVM: `0x${'a'.repeat(40)}`,
      X402_EVM_RPC_URL: 'http://node',
    })
    expect(config.X402_FACILITATOR_URL).to.deep.equal([
      'https://a.example',
      'https://b.example/x402',
      'http://127.0.0.1:9',
    ])
    expect(config.X402_FACILITATOR_AUTH).to.deep.equal([
      { name: 'Authorization', value: 'Bearer s3cret-token==' },
      { name: 'X-API-Key', value: 'k:ey with space' },
      null,
    ])
  })

  it('takes brokers in order, with what belongs to them', () => {
    const config = readConfig({
      KAFKA_BROKERS: 'a:9092, [::1]:9093',
      SCHEMA_REGISTRY_URL: 'http://r',
      KAFKA_SSL: 'true',
    })
    expect(config.KAFKA_BROKERS).to.deep.equal(['a:9092', '[::1]:9093'])
    expect(config).to.include({ KAFKA_SSL: true, KAFKA_SESSION_MS: 45_000 })
  })

  it('takes the address of buyers with a slash at its end for the one without', () => {
    for (const base of ['https://data.example', 'https://data.example/'])
      expect(readConfig({ PUBLIC_BASE_URL: base }).PUBLIC_BASE_URL).to.equal('https://data.example')
  })

  it('takes several hosts and origins that may ask over MCP', () => {
    const given = { MCP_ALLOWED_HOSTS: 'mcp.example, [::1]', MCP_ALLOWED_ORIGINS: 'https://a.example, http://b:8080' }
    expect(readConfig(given)).to.deep.include({
      MCP_ALLOWED_HOSTS: ['mcp.example', '[::1]'],
      MCP_ALLOWED_ORIGINS: ['https://a.example', 'http://b:8080'],
    })
  })

  it('takes versions of the rules that are announced, and from when on', () => {
    expect(readConfig({}).RULES_ANNOUNCED).to.equal(undefined)
    const given = 'chain-a:a12@2026-12-01T00:00:00Z, chain-b:b9@2026-12-02T01:00:00+01:00'
    expect(readConfig({ RULES_ANNOUNCED: given }).RULES_ANNOUNCED).to.deep.equal([
      { stage: 'chain-a', version: 'a12', fromMs: Date.UTC(2026, 11, 1) },
      { stage: 'chain-b', version: 'b9', fromMs: Date.UTC(2026, 11, 2) },
    ])
  })

  const kafka = { KAFKA_BROKERS: 'a:9092', SCHEMA_REGISTRY_URL: 'http://r' }
  const paid = {
    X402_FACILITATOR_URL: 'https://a.example',
    X402_PAY_TO_EVM: `0x${'a'.repeat(40)}`,
    X402_EVM_RPC_URL: 'http://node',
  }
  const solanaSeller = 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH'
  const svm = { X402_SVM_RPC_URL: 'http://node' }
  const helius = { HELIUS_API_KEY: 'a-helius-key' }
  const wrong: [Record<string, string>, string][] = [
    [{ PORT: '70000' }, 'PORT'],
    [{ PORT: '0x10' }, 'PORT'],
    [{ VIEW_REFRESH_MS: '50' }, 'VIEW_REFRESH_MS'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ RULES_ANNOUNCED: 'a12' }, 'RULES_ANNOUNCED: must have the form chain-a:a12@2026-12-01T00:00:00Z'],
    [{ RULES_ANNOUNCED: 'chain-c:a12@2026-12-01T00:00:00Z' }, 'RULES_ANNOUNCED: must have the form'],
    [{ RULES_ANNOUNCED: 'chain-a:a12@tomorrow' }, 'RULES_ANNOUNCED: must have the form'],
    [
      { CHAIN_A_RPC_URL: 'wss://node.example,ftp://node.example' },
      'CHAIN_A_RPC_URL: must be URLs that begin with http://, https://, ws:// or wss://, separated by commas',
    ],
    [{ CHAIN_A_RPC_URL: 'wss:' }, 'CHAIN_A_RPC_URL'],
    [
      { CHAIN_A_RPC_URL: 'wss://me:50%off@node.example' },
      'CHAIN_A_RPC_URL: contains a % that is not part of an escape code',
    ],
    [{ CHAIN_A_RPC_URL: 'https://a.example,nonsense' }, 'CHAIN_A_RPC_URL'],
    [{ CHAIN_A_PRESET: 'moon' }, 'CHAIN_A_PRESET'],
    [{ HELIUS_API_KEY: 'short' }, 'HELIUS_API_KEY'],
    [{ CHAIN_B_RPC_URL: 'wss://node.example' }, 'CHAIN_B_RPC_URL'],
    [{ CHAIN_B_RUGCHECK_URL: 'ftp://rug.example' }, 'CHAIN_B_RUGCHECK_URL'],
    [{ PRICE_AGGREGATOR_URL: 'prices.example' }, 'PRICE_AGGREGATOR_URL'],
    [{ CHAIN_B_LOOK_BACK_MIN: '2000' }, 'CHAIN_B_LOOK_BACK_MIN'],
    [{ SIMULATOR_LOOK_BACK_HOURS: '0' }, 'SIMULATOR_LOOK_BACK_HOURS'],
    [{ SIMULATOR_LOOK_BACK_HOURS: '49' }, 'SIMULATOR_LOOK_BACK_HOURS'],
    [{ CHAIN_B_SOL_USD_FEED: '7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pj' }, 'CHAIN_B_SOL_USD_FEED'],
    [{ CHAIN_B_SOL_USD_FEED: `0x${'a'.repeat(40)}` }, 'CHAIN_B_SOL_USD_FEED'],
    [
      { ...helius, CHAIN_B_RPC_URL: 'https://h.example' },
      'CHAIN_B_WS_URL: must be set, because HELIUS_API_KEY and CHAIN_B_RPC_URL are set',
    ],
    [{ ...helius, CHAIN_B_WS_URL: 'wss://h.example' }, 'CHAIN_B_RPC_URL: must be set, because CHAIN_B_WS_URL is set'],
    [
      { CHAIN_B_RPC_URL: 'https://h.example', CHAIN_B_WS_URL: 'wss://h' },
      'HELIUS_API_KEY: must be set, because CHAIN_B_WS_URL is set',
    ],
    [{ CLICKHOUSE_URL: 'localhost' }, 'CLICKHOUSE_URL'],
    [{ X402_PAY_TO_EVM: '0x12' }, 'X402_PAY_TO_EVM'],
    [{ ...paid, X402_PAY_TO_SVM: solanaSeller }, 'X402_SVM_RPC_URL: must be set, because X402_PAY_TO_SVM is set'],
    [{ ...svm, X402_PAY_TO_SVM: solanaSeller }, 'X402_FACILITATOR_URL: must be set, because X402_PAY_TO_SVM is set'],
    [{ ...paid, ...svm, X402_PAY_TO_SVM: `${solanaSeller}1` }, 'X402_PAY_TO_SVM: must be an address in base58'],
    [{ ...paid, ...svm, X402_PAY_TO_SVM: paid.X402_PAY_TO_EVM }, 'X402_PAY_TO_SVM'],
    [{ X402_SVM_RPC_URL: 'wss://node.example' }, 'X402_SVM_RPC_URL'],
    [{ PAY_PRIVATE_KEY_SVM: solanaSeller }, 'PAY_PRIVATE_KEY_SVM: must be the 64 bytes of a key pair in base58'],
    [{ ...paid, X402_FACILITATOR_URL: 'https://a.example,nonsense' }, 'X402_FACILITATOR_URL'],
    [
      { ...paid, X402_FACILITATOR_URL: 'https://me:pass@a.example' },
      'X402_FACILITATOR_URL: must not contain credentials',
    ],
    [{ ...paid, X402_FACILITATOR_AUTH: 'Bearer ' }, 'X402_FACILITATOR_AUTH: must be "Bearer <token>"'],
    [{ ...paid, X402_FACILITATOR_AUTH: 'a-token-alone' }, 'X402_FACILITATOR_AUTH: must be "Bearer <token>"'],
    [{ ...paid, X402_FACILITATOR_AUTH: 'X-Key: a\u00e4' }, 'X402_FACILITATOR_AUTH: must be "Bearer <token>"'],
    [
      { ...paid, X402_FACILITATOR_AUTH: 'X-Key: a,X-Key: b' },
      'X402_FACILITATOR_AUTH: must have one comma-separated part for each URL',
    ],
    [{ X402_FACILITATOR_AUTH: 'X-Key: a' }, 'X402_FACILITATOR_URL: must be set, because X402_FACILITATOR_AUTH is set'],
    [{ RULE_ID_SECRET: 'short' }, 'RULE_ID_SECRET'],
    [{ CALLER_ID_SECRET: 'short' }, 'CALLER_ID_SECRET'],
    [{ CHAIN_A_NAME: 'same', CHAIN_B_NAME: 'same' }, 'CHAIN_B_NAME'],
    [{ CHAIN_A_NAME: 'chainB' }, 'CHAIN_B_NAME'],
    [{ CLICKHOUSE_URL: 'http://me:50%off@h:8123' }, 'CLICKHOUSE_URL: contains a % that is not part of an escape code'],
    [
      { ...kafka, SCHEMA_REGISTRY_URL: 'http://me:50%off@h' },
      'SCHEMA_REGISTRY_URL: contains a % that is not part of an escape code',
    ],
    [{ MCP_ALLOWED_HOSTS: 'mcp.example:443' }, 'MCP_ALLOWED_HOSTS: must be host names in lower case without ports'],
    [{ MCP_ALLOWED_HOSTS: 'a.example,' }, 'MCP_ALLOWED_HOSTS: must be host names in lower case without ports'],
    [{ MCP_ALLOWED_ORIGINS: 'https://a.example/' }, 'MCP_ALLOWED_ORIGINS: must be https://host or https://host:port'],
    [{ MCP_ALLOWED_ORIGINS: '*' }, 'MCP_ALLOWED_ORIGINS: must be https://host or https://host:port'],
    [{ ...kafka, KAFKA_BROKERS: 'a' }, 'KAFKA_BROKERS: must be host:port'],
    [{ ...kafka, KAFKA_BROKERS: 'a:9092,http://b:9092' }, 'KAFKA_BROKERS: must be host:port'],
    [{ ...kafka, KAFKA_BROKERS: 'a:70000' }, 'KAFKA_BROKERS: must be host:port'],
    [{ ...kafka, KAFKA_SESSION_MS: '5999' }, 'KAFKA_SESSION_MS'],
    [{ ...kafka, KAFKA_SSL: 'yes' }, 'KAFKA_SSL'],
    [{ ...kafka, KAFKA_TOPIC_PREFIX: 'a b' }, 'KAFKA_TOPIC_PREFIX'],
    [{ ...kafka, KAFKA_SSL_CA_FILE: 'ca.pem' }, 'KAFKA_SSL: must be set, because KAFKA_SSL_CA_FILE is set'],
    [{ ...kafka, KAFKA_SASL_MECHANISM: 'kerberos' }, 'KAFKA_SASL_MECHANISM'],
    [
      { ...kafka, KAFKA_SASL_MECHANISM: 'plain' },
      'KAFKA_SASL_PASSWORD: must be set, because KAFKA_SASL_MECHANISM is set',
    ],
    [{ ...kafka, KAFKA_SASL_USERNAME: 'me' }, 'KAFKA_SASL_MECHANISM: must be set, because KAFKA_SASL_USERNAME is set'],
    [{ KAFKA_BROKERS: 'a:9092' }, 'SCHEMA_REGISTRY_URL: must be set, because KAFKA_BROKERS is set'],
    [{ SCHEMA_REGISTRY_URL: 'http://r' }, 'KAFKA_BROKERS: must be set, because SCHEMA_REGISTRY_URL is set'],
    [
      { X402_FACILITATOR_URL: 'https://pay.example' },
      'X402_PAY_TO_EVM: must be set, because X402_FACILITATOR_URL is set',
    ],
  ]
  for (const [environment, name] of wrong)
    it(`refuses ${JSON.stringify(environment)}, naming it`, () => {
      expect(failureOf(environment)).to.contain(name)
    })

  it('names every wrong variable at once', () => {
    expect(failureOf({ PORT: 'x', LOG_LEVEL: 'y' }))
      .to.contain('PORT')
      .and.to.contain('LOG_LEVEL')
  })

  it('never repeats a value, which may be a secret', () => {
    const secret = 'sk-1234567890'
    for (const name of [
      'RULE_ID_SECRET',
      'CHAIN_B_RPC_URL',
      'X402_FACILITATOR_URL',
      'X402_FACILITATOR_AUTH',
      'CHAIN_A_RPC_URL',
      'PAY_PRIVATE_KEY',
      'PORT',
      'KAFKA_BROKERS',
    ])
      expect(failureOf({ [name]: name === 'RULE_ID_SECRET' ? 'sk-12345' : secret })).to.not.contain('sk-12345')
  })
})

/**
 * The rows of the tables in the configuration document. The columns are name, default, unit and range, and
 * meaning.
 */
const documented = readFileSync('infra/docs/configuration.md', 'utf8')
  .split('\n')
  .map((line) => /^\| `([A-Z0-9_]+)` \| (.+?) \| (.+?) \| (.+) \|$/.exec(line)?.slice(1) ?? [])
  .filter((cells) => cells.length > 0)
  .map(([name = '', byDefault = '', range = '']) => ({ name, byDefault, range }))

const accepts = (environment: Record<string, string>): boolean => failureOf(environment) === 'accepted'

describe('the document of the configuration', () => {
  it('lists every variable once, and no other', () => {
    expect(documented.map(({ name }) => name).sort()).to.deep.equal([...variableNames].sort())
  })

  const defaults: Readonly<Record<string, unknown>> = readConfig({})
  for (const { name, byDefault, range } of documented) {
    it(`says the default of ${name}`, () => {
      if (name in defaults) expect(byDefault).to.equal(`\`${defaults[name]}\``)
      else expect(byDefault).to.match(/^[a-z']|^`http:\/\/HOST:PORT`$|^`false`$/)
    })

    const [, least, most] = /(\d+) to (\d+)/.exec(range) ?? []
    if (least !== undefined && most !== undefined)
      it(`says the range of ${name}`, () => {
        const [from, to] = [Number(least), Number(most)]
        expect([from, to].map((value) => accepts({ [name]: `${value}` }))).to.deep.equal([true, true])
        expect([from - 1, to + 1].map((value) => accepts({ [name]: `${value}` }))).to.deep.equal([false, false])
      })

    const choices = [...range.matchAll(/`([\w-]+)`/g)].map(([, choice = '']) => choice)
    if (choices.length > 1)
      it(`says the choices of ${name}`, () => {
        const others = { KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
        const wantsOthers = name === 'KAFKA_SASL_MECHANISM'
        const isAccepted = (value: string) => accepts({ ...(wantsOthers ? others : {}), [name]: value })
        expect(choices.filter((choice) => !isAccepted(choice))).to.deep.equal([])
        expect(isAccepted('nonsense')).to.equal(false)
      })
  }

  it('says a range of every number', () => {
    const isWhole = (name: string, text: string) => accepts({ [name]: text }) && !accepts({ [name]: `${text}.5` })
    const numbers = documented.filter(({ name }) => isWhole(name, '1') || isWhole(name, '7000'))
    expect(numbers.filter(({ range }) => !/\d+ to \d+/.test(range)).map(({ name }) => name)).to.deep.equal([])
    expect(numbers.map(({ name }) => name)).to.include.members(['PORT', 'STAGE_THREADS', 'KAFKA_SESSION_MS'])
  })
})
