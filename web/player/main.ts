import "toile-viewer";
