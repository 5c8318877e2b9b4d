/** Startup checks for payments on Solana: the node, and the seller's USDC account. */
import { address } from '@solana/kit'
import { answerMsMax, type Check, examine, ok, wrong } from '../../../infra/check.ts'
import { hostOf } from '../../../infra/http-url.ts'
import { svmNetwork, svmTokenProgram } from './names.ts'
import { createSvmNode } from './node.ts'
import { tokenAccountOf } from './token-account.ts'

export type SvmAccount = Readonly<{ rpcUrl: string; payTo: string }>

const inTime = () => ({ abortSignal: AbortSignal.timeout(answerMsMax - 500) })

/**
 * Checks that the node is on Solana mainnet and lists the transactions of an address. The search for settlements that
 * no facilitator reported needs this list.
 */
export function checkSvmNode({ rpcUrl }: SvmAccount): Promise<Check> {
  const [node, host] = [createSvmNode(rpcUrl), hostOf(rpcUrl)]
  const name = 'Solana payment node'
  const toDo = 'check that the node runs and lists transactions by address, or correct X402_SVM_RPC_URL'
  return examine({ name, where: host, toDo }, async () => {
    const genesis = await node.getGenesisHash().send(inTime())
    if (!genesis.startsWith(svmNetwork.split(':')[1] ?? ' '))
      return wrong(name, `${host} is not on ${svmNetwork}`, 'correct X402_SVM_RPC_URL')
    await node.getSignaturesForAddress(address(svmTokenProgram), { limit: 1, commitment: 'confirmed' }).send(inTime())
    return ok(name, `${host} is on ${svmNetwork}`)
  })
}

/**
 * Checks the seller's USDC account. Without this account every buyer is refused. Facilitators do not create
 * the account.
 */
export function checkSvmPayTo({ rpcUrl, payTo }: SvmAccount): Promise<Check> {
  const [node, host] = [createSvmNode(rpcUrl), hostOf(rpcUrl)]
  const name = 'Solana pay-to account'
  const toDo = `send some USDC to ${payTo}, which opens its USDC account, or correct X402_PAY_TO_SVM`
  return examine({ name, where: host, toDo: 'check that the node runs, or correct X402_SVM_RPC_URL' }, async () => {
    const account = await tokenAccountOf(payTo)
    const { value } = await node.getAccountInfo(account, { encoding: 'base64', commitment: 'confirmed' }).send(inTime())
    if (value === null) return wrong(name, `${payTo} has no USDC account, so every payment is refused`, toDo)
    // Byte 108 is the state of the account: 1 is open, 2 is frozen.
    const isOpen = value.owner === svmTokenProgram && Buffer.from(value.data[0], 'base64')[108] === 1
    return isOpen
      ? ok(name, `${payTo} takes USDC in ${account}`)
      : wrong(name, `the account ${account} of ${payTo} cannot receive USDC, so every payment is refused`, toDo)
  })
}
