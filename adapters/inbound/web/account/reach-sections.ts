/** The user's applications and groups. */
import { html, type Html } from '../../../kernel/html.ts'
import { consolePages } from '../console/page-list.ts'
import { icons } from '../kit/icons.ts'
import { mark, type ApplicationMark } from '../kit/layout.ts'
import { empty, section } from './frame.ts'

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

export const applicationsSection = (all: readonly AccountApplication[]): Html =>
  section({
    id: 'applications',
    title: 'Applications',
    body:
      all.length > 0
        ? html`<ul class="tiles">
            ${all.map(applicationTile)}
          </ul>`
        : empty(
            'No applications yet. An application appears here when one of your groups is assigned to it.',
          ),
  })

export const groupsSection = (all: readonly AccountGroup[]): Html =>
  section({
    id: 'groups',
    title: 'Groups',
    body:
      all.length > 0
        ? html`<ul class="pairs">
            ${all.map(({ name, via }) => html`<li><span>${name}</span><span class="soft small">${via}</span></li>`)}
          </ul>`
        : empty('You are not in any group.'),
  })

/** @param all display names */
export const rolesSection = (all: readonly string[]): Html | false =>
  all.length > 0 &&
  section({
    id: 'roles',
    title: 'Administrator roles',
    action: html`<a class="button button-small" href="${consolePages.overview.path}">Open the console</a>`,
    body: html`<ul class="pairs">
      ${all.map((name) => html`<li>${name}</li>`)}
    </ul>`,
  })
