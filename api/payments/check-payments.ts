/** Who verifies and settles payments, and the node that is asked about lost ones. */

import { createPublicClient, http } from 'viem'
import { answerMsMax, type Check, examine, listed, off, ok, wrong } from '../../infra/check.ts'
import { type Config, isSimulated } from '../../infra/config.ts'
import { hostOf } from '../../infra/http-url.ts'
import { paymentNetwork } from './evm-network.ts'
import { createHttpFacilitator } from './facilitator-link.ts'

export function checkPayments(config: Config): readonly Promise<Check>[] {
  const { X402_FACILITATOR_URL: facilitatorUrl, X402_EVM_RPC_URL: rpcUrl } = config
  if (facilitatorUrl === undefined || rpcUrl === undefined) {
    const instead = isSimulated(config)
      ? 'payments settle on a local chain, in money without value'
      : 'nothing is sold, every paid route answers 503 payments_not_live'
    return [Promise.resolve(off('facilitator', `none configured (X402_FACILITATOR_URL): ${instead}`))]
  }
  return [checkFacilitator(facilitatorUrl), checkPaymentNode(rpcUrl)]
}

function checkFacilitator(url: string): Promise<Check> {
  const name = 'facilitator'
  return examine({ name, where: hostOf(url), toDo: 'see that it is up, or correct X402_FACILITATOR_URL' }, async () => {
    const { kinds } = await createHttpFacilitator({ url }).getSupported()
    const networks = [...new Set(kinds.filter(({ scheme }) => scheme === 'exact').map(({ network }) => network))]
    const says = `${hostOf(url)} settles on ${listed(networks) || 'no network'}`
    return networks.includes(paymentNetwork)
      ? ok(name, says)
      : wrong(name, `${says}, not on ${paymentNetwork}`, 'choose a facilitator that does: X402_FACILITATOR_URL')
  })
}

function checkPaymentNode(url: string): Promise<Check> {
  const name = 'payment node'
  return examine(
    { name, where: hostOf(url), toDo: 'see that the node runs, or correct X402_EVM_RPC_URL' },
    async () => {
      const node = createPublicClient({ transport: http(url, { timeout: answerMsMax - 500, retryCount: 0 }) })
      const network = `eip155:${await node.getChainId()}`
      return network === paymentNetwork
        ? ok(name, `${hostOf(url)} is on ${network}`)
        : wrong(
            name,
            `${hostOf(url)} is on ${network}, and payments are on ${paymentNetwork}`,
            'correct X402_EVM_RPC_URL',
          )
    },
  )
}
