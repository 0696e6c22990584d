import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Another one is another try. */
  readonly at: string;
  /** What stands in its place. */
  readonly fallback: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface Caught {
  readonly error: unknown;
  readonly at: string;
}

/** Keeps a fault of one screen from taking the page with it. A screen that is not on the server any more is one: it was updated. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly caught: Caught | undefined }> {
  override readonly state: { readonly caught: Caught | undefined } = { caught: undefined };

  static getDerivedStateFromError(error: unknown): { readonly caught: Caught } {
    return { caught: { error, at: '' } };
  }

  static getDerivedStateFromProps({ at }: ErrorBoundaryProps, { caught }: { readonly caught: Caught | undefined }) {
    if (!caught) return null;
    if (caught.at === '') return { caught: { ...caught, at } };
    return caught.at === at ? null : { caught: undefined };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    return caught ? this.props.fallback(caught.error) : this.props.children;
  }
}
