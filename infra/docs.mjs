// `npm run docs`: writes the pages of infra/docs that are generated from the code.
import { join } from 'node:path'
import { root, run, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await run(process.execPath, ['--import=tsx', join(root, 'infra/pages/main.ts')])
})
