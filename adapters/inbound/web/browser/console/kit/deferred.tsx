import { useEffect, useState, type ComponentType } from 'react'
import { useTexts } from '../text.tsx'
import { commonTexts } from './common-texts.ts'
import styles from './kit.module.css'

export type Deferred<Props extends object> = ComponentType<Props> & {
  /** Loads the script before the component is shown. */
  readonly preload: () => Promise<void>
}

/**
 * Returns a component whose script is loaded when it is first shown. Unlike `React.lazy`, it is shown as soon as it is
 * there: React keeps the fallback of a suspended component for at least 300 ms.
 */
export const deferred = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Deferred<Props> => {
  let loaded: ComponentType<Props> | null = null
  const preload = async (): Promise<void> => {
    loaded ??= await load()
  }
  const Shown = (props: Props) => {
    const text = useTexts(commonTexts)
    const [state, setState] = useState<{ readonly error: unknown } | 'ready' | 'loading'>('loading')
    useEffect(() => {
      preload().then(
        () => setState('ready'),
        (error: unknown) => setState({ error }),
      )
    }, [])
    if (typeof state === 'object') throw state.error
    const Loaded = loaded
    if (Loaded !== null) return <Loaded {...props} />
    return (
      <p className={styles['loading']} data-loading>
        {text.loading}
      </p>
    )
  }
  return Object.assign(Shown, { preload })
}
