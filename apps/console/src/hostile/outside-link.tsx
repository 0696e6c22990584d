import type { ReactNode } from 'react';
import { safeAddress } from './safe-address.ts';
import { visibleText } from './visible-text.ts';

/** A link of an agent: where it leads stands beside its words, and nothing but http and https can be followed. */
export function OutsideLink({ href, children }: { readonly href: string; readonly children?: ReactNode }) {
  const address = safeAddress(href);
  const shown = visibleText(address?.href ?? href);
  if (!address) {
    return (
      <span>
        {children} <code title="This address is not followed">[{shown.slice(0, 200)}]</code>
      </span>
    );
  }
  return (
    <a href={address.href} target="_blank" rel="noopener noreferrer nofollow" title={shown}>
      {children ?? shown}
      {typeof children === 'string' && children.includes(address.host) ? null : (
        <span className="text-muted"> ({address.host})</span>
      )}
    </a>
  );
}
