//! Opening what others may have put in place of a file: a pipe, a device, a folder, something without end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file for reading. A pipe, a device or a folder is an error at once: opening a pipe would wait for a
/// writer, and a device may have no end.
///
/// # Errors
/// When the file cannot be opened, or is none.
///
/// # Example
/// ```
/// let error = duchamp_base::files::open_regular(&std::env::temp_dir()).unwrap_err();
/// assert_eq!(error.to_string(), "not a regular file");
/// ```
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true), path)
}

/// Opens a regular file for writing at its end, and creates it if there is none.
///
/// # Errors
/// When the file cannot be opened, or is none.
pub fn open_append(path: &Path) -> io::Result<File> {
    open_with(File::options().create(true).append(true), path)
}

fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let irregular = || io::Error::other("not a regular file");
    // Asked first: to open a device may do something.
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(irregular());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // If it has become a pipe meanwhile; files take no notice.
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(irregular())
    }
}

/// Reads a regular file of at most `longest` bytes.
///
/// # Errors
/// When the file cannot be read, is none, or is longer ([`io::ErrorKind::FileTooLarge`]).
pub fn read_limited(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let too_long = || {
        let text = format!("longer than {}", super::human::size(longest));
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    let file = open_regular(path)?;
    if file.metadata()?.len() > longest {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    file.take(longest.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(too_long());
    }
    Ok(bytes)
}

/// The same, for text.
///
/// # Errors
/// As there, and when the file is no UTF-8.
pub fn read_text(path: &Path, longest: u64) -> io::Result<String> {
    String::from_utf8(read_limited(path, longest)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not text in UTF-8"))
}
