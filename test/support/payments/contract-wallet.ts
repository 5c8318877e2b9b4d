/** Creates contract wallets on the local chain, and signs with them. */
import {
  type Address,
  concat,
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbi,
  publicActions,
  serializeErc6492Signature,
  type TypedDataDefinition,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  localChainOf,
  localDollarAbi,
  localDollarAddress,
  localTransport,
} from '../../../infra/development/payments/local-dollar.ts'
import { mockCreation } from '../chain-a-node/mock-contracts.ts'

const deployer = privateKeyToAccount(`0x${'d0'.repeat(32)}`)

/** The address of the deployer's first contract on a new chain. */
export const walletFactory = getContractAddress({ from: deployer.address, nonce: 0n })
/** The address of the deployer's second contract, which is another factory. */
export const otherFactory = getContractAddress({ from: deployer.address, nonce: 1n })

const factoryAbi = parseAbi([
  'function deploy(address owner)',
  'function addressOf(address owner) view returns (address)',
])

export type ContractWallet = Readonly<{
  address: Address
  deploy: () => Promise<void>
  isDeployed: () => Promise<boolean>
  /**
   * Returns a signer for x402 clients. With `isWrapped`, the signature contains the deployment of the wallet.
   */
  signer: (options?: Readonly<{ by?: PrivateKeyAccount; isWrapped?: boolean }>) => Readonly<{
    address: Address
    signTypedData: (message: object) => Promise<Hex>
  }>
}>

/** Opens the factories. They create wallets that hold one dollar each, and each wallet has its own owner. */
export async function openWalletFactories(rpcUrl: string) {
  const chain = localChainOf(rpcUrl)
  const transport = localTransport(rpcUrl)
  const client = createWalletClient({ account: deployer, chain, transport, pollingInterval: 50 }).extend(publicActions)
  await createTestClient({ mode: 'anvil', chain, transport }).setBalance({
    address: deployer.address,
    value: 10n ** 18n,
  })
  const done = async (hash: Hex) => void (await client.waitForTransactionReceipt({ hash }))
  const data = mockCreation('ContractWalletFactory')
  for (const _ of [walletFactory, otherFactory]) await done(await client.sendTransaction({ data }))

  return async (factory: Address = walletFactory): Promise<ContractWallet> => {
    const ownerKey = generatePrivateKey()
    const owner = privateKeyToAccount(ownerKey)
    const call = { abi: factoryAbi, args: [owner.address] } as const
    const address = await client.readContract({ ...call, address: factory, functionName: 'addressOf' })
    await done(
      await client.writeContract({
        ...{ address: localDollarAddress, abi: localDollarAbi, functionName: 'mint' },
        args: [address, 1_000_000n],
      }),
    )
    const calldata = encodeFunctionData({ ...call, functionName: 'deploy' })
    return {
      address,
      deploy: async () => done(await client.sendTransaction({ to: factory, data: calldata })),
      isDeployed: async () => (await client.getCode({ address })) !== undefined,
      signer: ({ by = owner, isWrapped = false } = {}) => ({
        address,
        signTypedData: async (message) => {
          const signature = await signOwned(by, address, message as TypedDataDefinition)
          return isWrapped ? serializeErc6492Signature({ address: factory, data: calldata, signature }) : signature
        },
      }),
    }
  }
}

async function signOwned(owner: PrivateKeyAccount, wallet: Address, message: TypedDataDefinition): Promise<Hex> {
  const words = [{ type: 'bytes32' }, { type: 'address' }]
  const hash = keccak256(encodeAbiParameters(words, [hashTypedData(message), wallet]))
  return concat(['0x01', await owner.sign({ hash })])
}
