/** The user's applications and groups. */
import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { consolePages } from '../console/page-list.ts'
import { icons } from '../kit/icons.ts'
import { mark, type ApplicationMark } from '../kit/layout.ts'
import { empty, section } from './frame.ts'

const words = texts({
  en: {
    applications: 'Applications',
    noApplications:
      'No applications yet. An application appears here when one of your groups is assigned to it.',
    groups: 'Groups',
    noGroups: 'You are not in any group.',
    roles: 'Administrator roles',
    openConsole: 'Open the console',
  },
  de: {
    applications: 'Anwendungen',
    noApplications:
      'Noch keine Anwendungen. Eine Anwendung erscheint hier, wenn ihr eine Ihrer Gruppen zugewiesen ist.',
    groups: 'Gruppen',
    noGroups: 'Sie sind in keiner Gruppe.',
    roles: 'Administratorrollen',
    openConsole: 'Konsole öffnen',
  },
})

export interface AccountApplication extends ApplicationMark {
  readonly id: string
  readonly launchUrl?: string | undefined
}

export interface AccountGroup {
  readonly name: string
  /** The source of a membership, as shown to users. */
  readonly via: string
}

const applicationTile = (application: AccountApplication): Html => {
  const face = html`${mark(application)}<span>${application.name}</span>`
  return application.launchUrl
    ? html`<li><a class="tile" href="${application.launchUrl}">${face}${icons.open}</a></li>`
    : html`<li><div class="tile">${face}</div></li>`
}

export const applicationsSection = (all: readonly AccountApplication[], language: Language): Html =>
  section({
    id: 'applications',
    title: words[language].applications,
    body:
      all.length > 0
        ? html`<ul class="tiles">
            ${all.map(applicationTile)}
          </ul>`
        : empty(words[language].noApplications),
  })

export const groupsSection = (all: readonly AccountGroup[], language: Language): Html =>
  section({
    id: 'groups',
    title: words[language].groups,
    body:
      all.length > 0
        ? html`<ul class="pairs">
            ${all.map(({ name, via }) => html`<li><span>${name}</span><span class="soft small">${via}</span></li>`)}
          </ul>`
        : empty(words[language].noGroups),
  })

/** @param all display names */
export const rolesSection = (all: readonly string[], language: Language): Html | false =>
  all.length > 0 &&
  section({
    id: 'roles',
    title: words[language].roles,
    action: html`<a class="button button-small" href="${consolePages.overview.path}"
      >${words[language].openConsole}</a
    >`,
    body: html`<ul class="pairs">
      ${all.map((name) => html`<li>${name}</li>`)}
    </ul>`,
  })
