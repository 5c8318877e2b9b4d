/** Reads the Dockerfile and what Docker sends to the build. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DockerfileParser, type JSONInstruction } from 'dockerfile-ast'

export const dockerfileText = readFileSync('Dockerfile', 'utf8')
const dockerfile = DockerfileParser.parse(dockerfileText)

/** The command of an instruction in its JSON form, in which no shell runs. */
const commandOf = (instruction: JSONInstruction | undefined): readonly string[] =>
  instruction?.getJSONStrings().map((text) => text.getJSONValue()) ?? []

const wordsOf = (keyword: string): readonly string[] =>
  dockerfile
    .getInstructions()
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '')

/** The arguments of HEALTHCHECK: its flags, and then the command. */
const healthCheck = dockerfile.getHEALTHCHECKs()[0]?.getRawArgumentsContent() ?? ''

export const image = {
  bases: dockerfile.getFROMs().map((from) => from.getImage() ?? ''),
  /** The files that the build copies from the checkout. */
  sources: dockerfile
    .getCOPYs()
    .filter((copy) => copy.getFlags().every((flag) => flag.getName() !== 'from'))
    .flatMap((copy) => copy.getArguments().slice(0, -1))
    .map((argument) => argument.getValue().replace(/\/$/, '')),
  environment: Object.fromEntries(
    dockerfile
      .getENVs()
      .flatMap((env) => env.getProperties())
      .map((property) => [property.getName(), property.getValue() ?? '']),
  ),
  /** The last command of the build that is written without a shell. */
  bundle: commandOf(
    dockerfile.getInstructions().find((one) => one.getArgumentsContent()?.includes('--help')) as JSONInstruction,
  ),
  entry: commandOf(dockerfile.getENTRYPOINTs()[0]),
  arguments: commandOf(dockerfile.getCMDs()[0]),
  healthCheck: JSON.parse(healthCheck.slice(healthCheck.indexOf('['))) as readonly string[],
  ports: wordsOf('EXPOSE'),
  volumes: wordsOf('VOLUME'),
  users: wordsOf('USER'),
  stopSignals: wordsOf('STOPSIGNAL'),
} as const

const rules = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** Whether Docker sends the file to the build. The last line of `.dockerignore` that matches decides. */
export const isSent = (path: string): boolean =>
  rules.reduce((sent, rule) => {
    const pattern = rule.replace('!', '')
    assert.ok(pattern === '*' || !pattern.includes('*'), 'this reader knows no other patterns')
    const isMatch = pattern === '*' || path === pattern || path.startsWith(`${pattern}/`)
    return isMatch ? rule.startsWith('!') : sent
  }, true)
