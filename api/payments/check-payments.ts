/** Startup checks of the facilitators and the payment networks. */
import type { FacilitatorClient } from '@x402/core/server'
import { type PaymentPayload, VerifyError } from '@x402/core/types'
import { answerMsMax, type Check, examine, listed, off, ok, wrong } from '../../infra/check.ts'
import { type Config, isSimulated } from '../../infra/config.ts'
import { hostOf } from '../../infra/http-url.ts'
import { checkEvmAccount } from './evm/check.ts'
import { paymentNetwork } from './evm/network.ts'
import { createHttpFacilitator, type FacilitatorAddress, facilitatorsOf } from './facilitator/http-facilitator.ts'
import type { SvmAccount } from './svm/check.ts'
import { svmNetwork } from './svm/names.ts'

/**
 * `asksAll` adds a check of facilitators without configured credentials: whether they require credentials.
 * For this check, the facilitator is asked to verify a payment of zero.
 */
export function checkPayments(config: Config, { asksAll }: Readonly<{ asksAll: boolean }>): readonly Promise<Check>[] {
  const { X402_PAY_TO_EVM: payTo, X402_EVM_RPC_URL: rpcUrl } = config
  const facilitators = facilitatorsOf(config)
  if (facilitators.length === 0 || payTo === undefined || rpcUrl === undefined) {
    const instead = isSimulated(config)
      ? 'payments settle on local chains in worthless money'
      : 'nothing is sold, and every paid route answers 503 payments_not_live'
    return [Promise.resolve(off('facilitator', `none configured (X402_FACILITATOR_URL): ${instead}`))]
  }
  const solana = solanaOf(config)
  const offered = [paymentNetwork, ...(solana === null ? [] : [svmNetwork])]
  const checked = facilitators.map((facilitator, index) =>
    askFacilitator(facilitator, {
      offered,
      asksAccess: asksAll || facilitator.auth !== null,
      number: facilitators.length === 1 ? null : index + 1,
    }),
  )
  return [
    ...checked.map(({ check }) => check),
    ...(facilitators.length > 1 ? [checkServed(checked, offered)] : []),
    ...checkEvmAccount({ rpcUrl, payTo }),
    ...(solana === null ? [] : checkSolana(solana)),
  ]
}

const solanaOf = ({ X402_PAY_TO_SVM: payTo, X402_SVM_RPC_URL: rpcUrl }: Config): SvmAccount | null =>
  payTo === undefined || rpcUrl === undefined ? null : { payTo, rpcUrl }

/** The packages for Solana load slowly, so they are imported only when needed. */
function checkSolana(account: SvmAccount): readonly Promise<Check>[] {
  const loading = import('./svm/check.ts')
  return [
    loading.then(({ checkSvmNode }) => checkSvmNode(account)),
    loading.then(({ checkSvmPayTo }) => checkSvmPayTo(account)),
  ]
}

type CheckedFacilitator = Readonly<{ networks: Promise<readonly string[]>; check: Promise<Check> }>

/**
 * `number`: the position of the facilitator in the list, or null if there is only one. With several
 * facilitators, each one may lack a network, because another facilitator may serve that network.
 */
type CheckOptions = Readonly<{ offered: readonly string[]; asksAccess: boolean; number: number | null }>

function askFacilitator(
  facilitator: FacilitatorAddress,
  { offered, asksAccess, number }: CheckOptions,
): CheckedFacilitator {
  const { url } = facilitator
  const name = number === null ? 'facilitator' : `facilitator ${number}`
  const limitMs = answerMsMax / 2 - 250
  const client = createHttpFacilitator({ ...facilitator, verifyTimeoutMs: limitMs, supportedTimeoutMs: limitMs })
  const networks = networksOf(client)
  const look = async (): Promise<Check> => {
    const served = await networks.catch((error) => {
      if (isAccessRefused(error)) return null
      throw error
    })
    if (served === null || (asksAccess && (await isKeptOut(client, served[0] ?? paymentNetwork))))
      return facilitator.auth === null
        ? wrong(name, `${hostOf(url)} requires credentials`, 'set X402_FACILITATOR_AUTH')
        : wrong(name, `${hostOf(url)} refuses our credentials`, 'correct X402_FACILITATOR_AUTH')
    if (isReadable(facilitator))
      return wrong(
        name,
        `our credentials are sent to ${hostOf(url)} unencrypted`,
        'set its https URL in X402_FACILITATOR_URL',
      )
    const says = `${hostOf(url)} settles on ${listed(served) || 'no network'}`
    const missing = offered.filter((network) => !served.includes(network))
    return number !== null || missing.length === 0
      ? ok(name, says)
      : wrong(
          name,
          `${says}, not on ${listed(missing)}`,
          'set X402_FACILITATOR_URL to a facilitator that settles on all these networks',
        )
  }
  const toDo = 'check that the facilitator is up, or correct X402_FACILITATOR_URL'
  return { networks, check: examine({ name, where: hostOf(url), toDo }, look) }
}

async function networksOf(client: FacilitatorClient): Promise<readonly string[]> {
  const { kinds } = await client.getSupported()
  return [...new Set(kinds.filter(({ scheme }) => scheme === 'exact').map(({ network }) => network))]
}

function checkServed(checked: readonly CheckedFacilitator[], offered: readonly string[]): Promise<Check> {
  const name = 'payment networks'
  const toDo = 'add a facilitator for these networks to X402_FACILITATOR_URL'
  return examine({ name, toDo }, async () => {
    const served = await Promise.all(checked.map(({ networks }) => networks.catch(() => [])))
    const missing = offered.filter((network) => !served.flat().includes(network))
    return missing.length === 0
      ? ok(name, `${listed(offered)}: each has a facilitator`)
      : wrong(name, `no reachable facilitator settles on ${listed(missing)}`, toDo)
  })
}

/**
 * Returns whether the facilitator refuses to verify our payments. Many facilitators list their supported
 * networks without credentials, but verify payments only with credentials. So this function asks the
 * facilitator to verify a payment. The payment is worthless, so the worst result is a refusal.
 */
async function isKeptOut(client: FacilitatorClient, network: string): Promise<boolean> {
  const accepted = {
    ...{ scheme: 'exact', network: network as PaymentPayload['accepted']['network'], asset: nobody, amount: '0' },
    ...{ payTo: nobody, maxTimeoutSeconds: 60, extra: {} },
  }
  try {
    await client.verify({ x402Version: 2, accepted, payload: paysNothing }, accepted)
    return false
  } catch (error) {
    return isAccessRefused(error)
  }
}

const nobody = `0x${'0'.repeat(40)}`
const paysNothing = {
  signature: `0x${'11'.repeat(65)}`,
  authorization: {
    ...{ from: nobody, to: nobody, value: '0', validAfter: '0', validBefore: '0' },
    nonce: `0x${'0'.repeat(64)}`,
  },
}

/**
 * Whether the facilitator answered with 401 or 403. For most statuses, the error of x402's client contains the status
 * only in its message.
 */
function isAccessRefused(error: unknown): boolean {
  const status =
    error instanceof VerifyError ? error.statusCode : Number(/failed \((\d{3})\)/.exec(String(error))?.[1] ?? 0)
  return status === 401 || status === 403
}

const isReadable = ({ url, auth }: FacilitatorAddress): boolean =>
  auth !== null && url.startsWith('http:') && !/^(localhost|127\.|\[::1\])/.test(new URL(url).hostname)
