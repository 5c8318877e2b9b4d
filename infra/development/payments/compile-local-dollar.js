/**
 * Compiles the contract local-dollar.sol to local-dollar.json. After each change of the contract, run `node
 * infra/development/payments/compile-local-dollar.js`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import solc from 'solc'

const source = new URL('./local-dollar.sol', import.meta.url)
const target = new URL('./local-dollar.json', import.meta.url)
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { 'local-dollar.sol': { content: readFileSync(source, 'utf8') } },
      settings: {
        optimizer: { enabled: true, runs: 200 },
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
      },
    }),
  ),
)
for (const { formattedMessage } of output.errors ?? []) process.stderr.write(formattedMessage)
const contracts = output.contracts['local-dollar.sol']
const codeOf = (name) => `0x${contracts[name].evm.deployedBytecode.object}`
const codes = { localDollar: codeOf('LocalDollar'), localMulticall: codeOf('LocalMulticall') }
writeFileSync(target, `${JSON.stringify(codes, null, 2)}\n`)
