import { html, type Html } from '../../../kernel/html.ts'
import { accountShell, type AccountFrame } from './frame.ts'
import { profileDialog, profileSection, type AccountProfile } from './profile-section.ts'
import {
  applicationsSection,
  groupsSection,
  rolesSection,
  type AccountApplication,
  type AccountGroup,
} from './reach-sections.ts'

export interface OverviewModel extends AccountFrame {
  readonly person: AccountProfile
  readonly hints: readonly Html[]
  readonly applications: readonly AccountApplication[]
  readonly groups: readonly AccountGroup[]
  /** Display names. */
  readonly roles: readonly string[]
}

/** The user's overview: profile, applications, groups and roles. */
export const overviewPage = (model: OverviewModel): string =>
  accountShell(model, {
    name: 'overview',
    head: html`<h1>${model.person.name}</h1>`,
    body: html`${model.hints}
      <div class="account-columns">
        <div class="account-column">
          ${applicationsSection(model.applications, model.language)}
          ${groupsSection(model.groups, model.language)}
        </div>
        <div class="account-column">
          ${profileSection(model.person, model.language)} ${rolesSection(model.roles, model.language)}
        </div>
      </div>`,
    dialogs: profileDialog(model.person, model.language),
  })
