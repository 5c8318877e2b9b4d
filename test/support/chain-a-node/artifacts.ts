/** Reads the compiled contracts of Uniswap from the npm packages of its authors. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Abi, encodeDeployData, type Hex } from 'viem'

const require = createRequire(import.meta.url)

const files = {
  PoolManager: '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json',
  PoolModifyLiquidityTest: '@uniswap/v4-core/out/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.json',
  PoolSwapTest: '@uniswap/v4-core/out/PoolSwapTest.sol/PoolSwapTest.json',
  FeeTakingHook: '@uniswap/v4-core/out/FeeTakingHook.sol/FeeTakingHook.json',
  TestERC20: '@uniswap/v4-core/out/TestERC20.sol/TestERC20.json',
  PositionManager: '@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json',
  StateView: '@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json',
  WETH: '@uniswap/v4-periphery/foundry-out/WETH.sol/WETH.default.json',
  UniswapV3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  UniswapV3Pool: '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  NonfungiblePositionManager:
    '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  SwapRouter: '@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
} as const

export type ContractName = keyof typeof files

type Artifact = Readonly<{ abi: Abi; bytecode: Hex | Readonly<{ object: Hex }> }>

/**
 * Returns the path of a package file. The `exports` map of a package hides its files, so the folder is found
 * through package.json.
 */
function packageFile(specifier: string): string {
  const [scope, name, ...rest] = specifier.split('/')
  return join(dirname(require.resolve(`${scope}/${name}/package.json`)), ...rest)
}

/**
 * The artifacts that were already read. Each file is megabytes of compiler output, and a test creates many
 * tokens.
 */
const artifacts = new Map<ContractName, Artifact>()

function readArtifact(name: ContractName): Artifact {
  const known = artifacts.get(name)
  if (known !== undefined) return known
  const { abi, bytecode } = JSON.parse(readFileSync(packageFile(files[name]), 'utf8')) as Artifact
  artifacts.set(name, { abi, bytecode })
  return { abi, bytecode }
}

/** Returns the creation code of a contract with its constructor arguments. */
export function creationCode(name: ContractName, args: readonly unknown[] = []): Hex {
  const { abi, bytecode } = readArtifact(name)
  return encodeDeployData({ abi, bytecode: typeof bytecode === 'string' ? bytecode : bytecode.object, args })
}

/**
 * Returns the runtime code of Permit2, which has no artifact. Its authors publish the code as a literal in a
 * test helper.
 */
export function permit2Code(): Hex {
  const source = readFileSync(packageFile('@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol'), 'utf8')
  const literal = /hex"([0-9a-f]+)"/.exec(source)?.[1]
  assert(literal)
  return `0x${literal}`
}
