import { expect } from 'chai'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { adminApi, type AdminApi } from '../../../cli/client/admin-api.ts'
import { readFiles } from '../../../cli/client/configuration/files.ts'
import { lastChangeOf } from '../../../cli/client/configuration/last-change.ts'
import { planOf } from '../../../cli/client/configuration/plan.ts'
import { signedPlan, writePlanFile } from '../../../cli/client/configuration/plan-file.ts'
import { applyPlanFile } from '../../../cli/client/configuration/run.ts'
import { readSnapshot } from '../../../cli/client/configuration/snapshot.ts'
import { PLAN_FORMAT } from '../../../domain/configuration-plan/plan.ts'
import { apiKey } from '../../support/api/api-keys.ts'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('configuration plans in the console', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let api: AdminApi
  let folder: string
  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
    api = adminApi(service.publicUrl, (await apiKey(service, { roles: ['global_admin'] })).key)
    folder = await mkdtemp(join(tmpdir(), 'svc-config-'))
  })
  after(async () => {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const withConsole = consoleScenarios(() => service)

  const planned = async (groups: readonly object[]): Promise<string> => {
    await writeFile(join(folder, 'groups.yaml'), stringify(groups))
    const desired = await readFiles(folder)
    const { snapshot } = await readSnapshot(api, desired)
    const plan = planOf(desired, snapshot, { prune: true, sendSecrets: false })
    const steps = []
    for (const step of plan.steps) steps.push({ ...step, lastChange: await lastChangeOf(api, step) })
    const path = join(folder, 'plan.json')
    await writePlanFile(
      path,
      await signedPlan(api, { format: PLAN_FORMAT, server: api.server, ...plan, steps }),
    )
    return path
  }
  const create = async (name: string): Promise<string> => {
    const { body } = await service.api('POST', '/groups', { as: admin, body: { name } })
    await until(async () => {
      const entries = await service.api('GET', `/audit?targetId=${String(body.id)}`, { as: admin })
      return entries.body.length > 0
    })
    return String(body.id)
  }

  it('CLI-02 shows who planned which changes, what has changed since, and what was applied', () =>
    withConsole(async ({ page, go, sound }) => {
      const id = await create('On call')
      await create('Leftover')
      const path = await planned([{ name: 'On call', description: '<b>Nights</b>' }, { name: 'Brand new' }])
      await go('/console/configuration-plan')
      const choose = (file: string) => page.getByLabel('File of the plan').setInputFiles(file)
      await choose(path)
      await page.getByText('Signed by this service').waitFor()
      await page.getByText('1 to create, 1 to change, 1 to delete.').waitFor()
      const change = page.getByRole('article', { name: 'Change groups/On call' })
      expect(await change.getByRole('cell').allInnerTexts()).to.deep.equal(['–', '<b>Nights</b>'])
      await change.getByText(/Last changed by Hedy Lamarr: Created the group On call/).waitFor()
      expect(await change.getByRole('link').getAttribute('href')).to.equal(`/console/groups/${id}`)
      await page.getByRole('article', { name: 'Delete groups/Leftover' }).waitFor()
      await sound()

      await applyPlanFile(api, path, { done: () => undefined, keep: null })
      await until(async () => {
        await page.reload()
        await choose(path)
        await page.getByText('Signed by this service').waitFor()
        await page.getByRole('table', { name: 'Audit trail' }).waitFor()
        return (await page.getByText('Created the group Brand new').count()) > 0
      }, 30_000)
      await change.getByText('Changed since the plan').waitFor()

      const text = await readFile(path, 'utf8')
      await writeFile(path, text.replace('<b>Nights</b>', 'Something else'))
      await choose(path)
      await page.getByText('digest: the plan has changed since it was made').waitFor()
      expect(await page.getByRole('article').count()).to.equal(0)
      await writeFile(path, text.replace(service.publicUrl, 'https://other.example'))
      await choose(path)
      await page.getByText('This is a plan for https://other.example.').waitFor()
      await writeFile(path, '{"plan": 7}')
      await choose(path)
      await page.getByText('This file is not a plan.').waitFor()
      await sound()
    }))
})
