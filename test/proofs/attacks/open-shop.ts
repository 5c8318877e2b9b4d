/**
 * Runs the shop (a small server that sells one answer) in its own process. In this way its memory can be
 * measured.
 */
import { readFileSync } from 'node:fs'
import type { PaymentRequired } from '@x402/core/types'
import { paymentsLike } from '../../bench/payments/many-payments.ts'
import { bursts, sign } from '../../support/payments/paid-service.ts'
import { startScript } from '../../support/programs.ts'

export type Bought = Readonly<{
  status: number
  /** The transaction in the receipt. Null: there is no valid receipt. */
  transaction: string | null
  text: string
}>

export type OpenShop = Readonly<{
  url: string
  pid: number
  /** Buys with the payment of a new buyer. */
  buy: (payment: string) => Promise<Bought>
  /** Gets a quote and signs it `count` times. */
  sign: (count: number) => Promise<readonly string[]>
  /** The peak memory of the shop, in megabytes. */
  peakMb: () => number
  /** The log output. */
  log: () => string
  stop: () => Promise<void>
}>

const script = new URL('./shop.ts', import.meta.url).pathname

export async function openShop(trusted: Readonly<{ facilitatorUrl: string; rpcUrl: string }>): Promise<OpenShop> {
  const program = startScript(script, JSON.stringify(trusted), {})
  await program.until(/ is open/)
  const url = `${/http:\S+/.exec(program.stdout())?.[0]}`
  const path = `${url}${bursts.resourcePath}`
  return {
    ...{ url, pid: program.pid, log: program.stderr },
    buy: async (payment) => {
      const response = await fetch(path, { headers: { 'payment-signature': payment } })
      const receipt = response.headers.get('payment-response')
      return { status: response.status, transaction: transactionIn(receipt), text: await response.text() }
    },
    sign: async (count) => {
      const quote = (await (await fetch(path)).json()) as PaymentRequired
      return paymentsLike(await sign(quote), count)
    },
    peakMb: () => {
      const status = readFileSync(`/proc/${program.pid}/status`, 'utf8')
      return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)
    },
    stop: async () => {
      program.kill('SIGKILL')
      await program.done
    },
  }
}

function transactionIn(receipt: string | null): string | null {
  if (receipt === null) return null
  const { transaction } = JSON.parse(Buffer.from(receipt, 'base64').toString()) as Readonly<{ transaction?: string }>
  return transaction ?? null
}
