import { expect } from 'chai'
import { readConfig } from '../../infra/config.ts'
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
  it('needs nothing', () => {
    expect(readConfig({})).to.include({ PORT: 8402, HOST: '127.0.0.1', DATA_DIR: 'data', VIEW_REFRESH_MS: 2000 })
  })

  it('takes an empty variable for an absent one', () => {
    expect(readConfig({ PORT: '', CLICKHOUSE_URL: '' }))
      .to.include({ PORT: 8402 })
      .and.not.have.property('CLICKHOUSE_URL')
  })

  it('takes several nodes in order', () => {
    expect(readConfig({ CHAIN_A_RPC_URL: 'https://a.example, https://b.example' }).CHAIN_A_RPC_URL).to.deep.equal([
      'https://a.example',
      'https://b.example',
    ])
  })

  const wrong: [Record<string, string>, string][] = [
    [{ PORT: '70000' }, 'PORT'],
    [{ PORT: '0x10' }, 'PORT'],
    [{ VIEW_REFRESH_MS: '50' }, 'VIEW_REFRESH_MS'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ CHAIN_A_RPC_URL: 'wss://node.example' }, 'CHAIN_A_RPC_URL'],
    [{ CHAIN_A_RPC_URL: 'https://a.example,nonsense' }, 'CHAIN_A_RPC_URL'],
    [{ CHAIN_A_PRESET: 'moon' }, 'CHAIN_A_PRESET'],
    [{ CLICKHOUSE_URL: 'localhost' }, 'CLICKHOUSE_URL'],
    [{ X402_PAY_TO_EVM: '0x12' }, 'X402_PAY_TO_EVM'],
    [{ RULE_ID_SECRET: 'short' }, 'RULE_ID_SECRET'],
    [{ X402_FACILITATOR_URL: 'https://pay.example' }, 'X402_PAY_TO_EVM: required with X402_FACILITATOR_URL'],
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
    for (const name of ['RULE_ID_SECRET', 'X402_FACILITATOR_URL', 'CHAIN_A_RPC_URL', 'PAY_PRIVATE_KEY', 'PORT'])
      expect(failureOf({ [name]: name === 'RULE_ID_SECRET' ? 'sk-12345' : secret })).to.not.contain('sk-12345')
  })
})
