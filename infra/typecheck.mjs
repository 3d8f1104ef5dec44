// Checks the types of everything: server, tests and infra in one program, browser code in another.
import { fileURLToPath } from 'node:url'
import { binOf, run, runMain } from './setup.mjs'

/** Several checkers each infer the types that they share, which takes twice the processor time. */
const CHECKERS = '1'

/** Resolves to 0 when all types hold. */
export const typecheck = async () => {
  for (const project of ['tsconfig.json', 'infra/tsconfig.browser.json']) {
    const code = await run(process.execPath, [
      binOf('@typescript/native', 'tsc'),
      '-p',
      project,
      '--checkers',
      CHECKERS,
    ])
    if (code !== 0) return code
  }
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    process.exitCode = await typecheck()
  })
}
